// What `check` says: of all accesses, how many hold for every launch; of one, its bounds, conditions and what was assumed.
import { ComponentChildren } from 'preact';
import { Access, data, Standing, text } from './data';
import { one, plural } from './format';
import { howMany, standingOf, standings, View } from './model';

const single: Record<Standing, string> = {
  fine: 'fine in every launch', conditional: 'fine in launches that meet the condition', costly: 'more than needed in every launch',
  possible: 'more than needed in some launches', undecided: 'not decided',
};
const short: Record<Standing, string> = { fine: 'fine', conditional: 'fine if', costly: 'costs more', possible: 'may cost more', undecided: 'not decided' };
export const standingWord = (a: Access, device: number) => short[standingOf(a, device)];
export const standingText = (a: Access, device: number) => single[standingOf(a, device)];

// "4 to 32 sectors" where check gave bounds; else what is inside.
export function Bounds({ a, device, bare, children }: { a: Access; device: number; bare?: boolean; children: ComponentChildren }) {
  const bounds = a.judged?.bounds[device];
  if (!bounds) return a.judged ? <>–</> : <>{children}</>;
  const [least, most] = bounds, range = least === most ? `${most}` : `${least} to ${most}`;
  return <>{bare ? range : `${range} ${one(most, text(a.cost[0][2]))}`}</>;
}

export function Standings({ view }: { view: View }) {
  const count = howMany(view), all = view.accesses.length;
  return (
    <div class="totals one"><div class="total">
      <h2>Accesses <span>by what holds for all launches</span></h2>
      <div class="tb"><span class="bar stack" aria-hidden="true">{standings.map(([s]) => count[s] > 0 && <i class={s} style={{ width: `${(100 * count[s]) / all}%` }} />)}</span><b>{all}</b></div>
      <p class="key">{standings.map(([s, words]) => count[s] > 0 && <span><i class={s} aria-hidden="true" />{words}: {count[s]}</span>)}</p>
    </div></div>
  );
}

export function JudgedVerdict({ view }: { view: View }) {
  const count = howMany(view), bad = count.costly + count.possible, all = view.accesses.length;
  if (!all) return <h1 class="verdict">No memory access was judged.</h1>;
  const open = count.undecided > 0 && <> {plural(count.undecided, 'access')} {count.undecided === 1 ? 'is' : 'are'} not decided.</>;
  if (!bad) return <h1 class="verdict fine"><b>Nothing to fix:</b> no access is known to cost more than its lanes need.{open}</h1>;
  const where = !count.possible ? 'in every launch' : !count.costly ? 'in some launches' : `${count.costly} in every launch, ${count.possible} in some`;
  return <h1 class="verdict"><b>{bad} of {plural(all, 'access')}</b> {bad === 1 ? 'costs' : 'cost'} more than {bad === 1 ? 'it needs' : 'they need'}: {where}.{open}</h1>;
}

export function JudgedBox({ a, device }: { a: Access; device: number }) {
  const { judged } = a, standing = standingOf(a, device);
  return (
    <div class="judged">
      <p><i class={`dot ${standing}`} aria-hidden="true" /><b>{text(judged!.verdict).replace(/-/g, ' ')}</b>: {single[standing]}</p>
      {judged!.if && <><h3>{standing === 'conditional' ? 'If' : 'It would be least if'}</h3><ul>{judged!.if.map((t) => <li><code>{text(t)}</code></li>)}</ul></>}
      {judged!.notes && <><h3>What this rests on</h3><ul>{judged!.notes.map((t) => <li>{text(t)}</li>)}</ul></>}
    </div>
  );
}

export function JudgedKernels({ view }: { view: View }) {
  const some = standings.filter(([s]) => howMany(view)[s] > 0);
  return (
    <section aria-labelledby="kernels">
      <div class="sh"><h2 id="kernels">Kernels</h2></div>
      <div class="scroll" tabIndex={0} role="group" aria-label="Table of kernels">
        <table class="arch">
          <thead><tr><th scope="col">kernel</th><th scope="col" class="r">accesses</th>{some.map(([, words]) => <th scope="col" class="r">{words}</th>)}</tr></thead>
          <tbody>{data.kernels.map((k, id) => {
            const count = howMany(view, id);
            return (
              <tr><th scope="row"><a href={`#accesses/${id}`} title={k.name}><code>{k.label}</code></a></th>
                <td class="r num">{Object.values(count).reduce((p, q) => p + q, 0)}</td>
                {some.map(([s]) => <td class="r num">{count[s] || '–'}</td>)}</tr>
            );
          })}</tbody>
        </table>
      </div>
    </section>
  );
}

export function JudgedDevices({ views, device, choose }: { views: View[]; device: number; choose: (d: number) => void }) {
  const some = standings.filter(([s]) => views.some((v) => howMany(v)[s] > 0));
  const most = (v: View, space: string) => v.accesses.reduce((sum, x) => sum + (text(x.a.space) === space ? x.a.judged!.bounds[v.device]?.[1] ?? 0 : 0), 0);
  const spaces = ['global', 'shared', 'local', 'constant'].filter((space) => views.some((v) => most(v, space) > 0));
  const unit = (space: string) => (space === 'shared' ? 'wavefronts' : space === 'constant' ? 'requests' : 'sectors');
  return (
    <section aria-labelledby="devices">
      <div class="sh"><h2 id="devices">Architectures</h2><p>at most, if a warp ran each access once</p></div>
      <div class="scroll" tabIndex={0} role="group" aria-label="Table of architectures">
        <table class="arch">
          <thead><tr><th scope="col">compute capability</th>{some.map(([, words]) => <th scope="col" class="r">{words}</th>)}{spaces.map((space) => <th scope="col" class="r">{space} {unit(space)}</th>)}</tr></thead>
          <tbody>{views.map((v, i) => (
            <tr class={i === device ? 'now' : ''}>
              <th scope="row"><button type="button" onClick={() => choose(i)}>{data.run.devices[i].sm}</button> <small>{data.run.devices[i].generation}</small></th>
              {some.map(([s]) => <td class="r num">{howMany(v)[s]}</td>)}{spaces.map((space) => <td class="r num">{most(v, space)}</td>)}
            </tr>
          ))}</tbody>
        </table>
      </div>
    </section>
  );
}
