// One access: what it costs, where its lanes go, what would help, how its warps differ, and what other architectures count.
import { useState } from 'preact/hooks';
import { Access, callsOf, checked, Cost, count, data, effectOf, Fix, hasText, pictureOf, placeOf, text } from './data';
import { about, bytes, capital, exact, human, one, per, percent, sentence, times } from './format';
import { Histogram } from './histogram';
import { Bounds, JudgedBox } from './judged';
import { laneOf, Seen, standingOf, unitOf } from './model';
import { Bar, Choice } from './parts';
import { LanePicture } from './picture';

const perWhat = (a: Access) => (['shared', 'constant'].includes(text(a.space)) ? 'instruction' : 'request');
const isSampled = (a: Access) => data.kernels[a.k].status === 'sampled';
export const amountOf = (n: number, a: Access) =>
  about(laneOf(text(a.space)) === 'device' ? bytes(n) : `${human(n)} ${unitOf(laneOf(text(a.space)))}`, isSampled(a));

export function CostText({ cost }: { cost: Cost }) {
  const [actual, ideal, unit] = cost;
  return actual > ideal * 1.0001
    ? <>{per(actual)} {one(actual, text(unit))}, {per(ideal)} would do</>
    : <>{per(actual)} {one(actual, text(unit))}</>;
}

function Warps({ a, device }: { a: Access; device: number }) {
  const drawn = a.classes.filter((c) => c.length > 3);
  const [at, choose] = useState(0);
  if (!drawn.length || !pictureOf(drawn[0][4], device)) return null;
  const all = a.classes.reduce((sum, c) => sum + c[0], 0) + (a.other ?? 0);
  const worst = drawn.reduce((p, q) => (q[1] > p[1] ? q : p)), most = drawn.reduce((p, q) => (q[0] > p[0] ? q : p));
  const names = drawn.map((c) => (c === drawn[0] ? 'typical' : c === worst ? 'worst' : c === most ? 'commonest' : 'other'));
  const c = drawn[Math.min(at, drawn.length - 1)], [warps, actual] = c, unit = text(a.cost[0][2]);
  return (
    <section>
      <h3>
        Where the lanes go
        {drawn.length > 1 && <Choice label="Which warp" value={at} options={names.map((name, i): [number, string] => [i, name])} choose={choose} />}
      </h3>
      <figure class="pic">
        <figcaption>
          <span>{a.judged ? (a.judged.wide ? 'a full warp, drawn with a stride of 1,024 elements' : `a full warp that begins where it costs least: ${text(c[3])}`) : all === warps ? (all === 1 ? 'the only warp' : `all ${human(all)} warps`) : `${percent(warps / all)} of the warps`}{!a.judged && <>: {text(c[3])}</>}</span>
          <span>{per(actual)} {one(actual, unit)}</span>
        </figcaption>
        <LanePicture picture={pictureOf(c[4], device)!} />
      </figure>
    </section>
  );
}

function FixCard({ fix, device }: { fix: Fix; device: number }) {
  const [before, after] = effectOf(fix, device) ?? [0, 0], gain = after ? before / after : before, helps = before > after;
  const asked = fix.effect[0], elsewhere = device > 0 && !helps && asked && asked[0] > asked[1];
  const picture = pictureOf(fix.pic, device), metric = text(fix.metric) === 'threads' ? 'updates' : text(fix.metric);
  return (
    <div class="fix">
      <p><b>{sentence(text(fix.title))}</b> {sentence(text(fix.cause))}</p>
      {hasText(fix.change) && <p class="change">{sentence(text(fix.change))}</p>}
      {hasText(fix.example) && <pre class="example"><code>{text(fix.example)}</code></pre>}
      {helps && (
        <dl class="gain">
          <div><dt>{metric} now</dt><dd>{human(before)}</dd></div>
          <div><dt>predicted</dt><dd class="to">{human(after)}</dd></div>
          <div><dt>fewer</dt><dd>{after ? times(gain) : 'all'}</dd></div>
          <div><dt>how sure</dt><dd class="words">{text(fix.sure)}</dd></div>
        </dl>
      )}
      {elsewhere && <p class="note">What it is worth is known for {data.run.devices[0].sm} ({human(asked[0])} → {human(asked[1])} {metric}); for {data.run.devices[device].sm} {effectOf(fix, device) ? 'it changes nothing' : 'it is not advised, or its count is not known'}.</p>}
      {fix.itself !== undefined && <p>The assembler makes this change by itself: {human(fix.itself)} {metric} are left.</p>}
      {picture && helps && (
        <figure class="pic">
          <figcaption><span>The typical warp after it</span><span>{picture.kind === 'passes' ? `${picture.rows.length} ${picture.rows.length === 1 ? 'pass' : 'passes'}` : ''}</span></figcaption>
          <LanePicture picture={picture} />
        </figure>
      )}
    </div>
  );
}

function Devices({ a, device }: { a: Access; device: number }) {
  const { devices } = data.run;
  if (devices.length < 2) return null;
  const lane = laneOf(text(a.space));
  const rows = a.cost.map((cost, i) => ({ cost, n: a.n[i], name: devices[i].sm }));
  return (
    <section>
      <h3>Architectures</h3>
      <table>
        <thead><tr><th scope="col">compute capability</th><th scope="col">{`per ${perWhat(a)}`}</th><th scope="col">would do</th>{!checked && <th scope="col">{lane === 'device' ? 'moved' : unitOf(lane)}</th>}</tr></thead>
        <tbody>
          {rows.map(({ cost, n, name }, i) => (
            <tr class={i === device ? 'now' : ''}>
              <th scope="row">{name}</th>
              <td><Bounds a={a} device={i}>{per(cost[0])} {one(cost[0], text(cost[2]))}</Bounds></td>
              <td>{per(a.judged?.needed ?? cost[1])}</td>
              {!checked && <td>{about(lane === 'device' ? bytes(count(n, 'moved_bytes')) : human(count(n, lane === 'shared' ? 'wavefronts' : 'requests')), isSampled(a))}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Facts({ a, device }: { a: Access; device: number }) {
  const n = a.n[device] ?? a.n[0], kernel = data.kernels[a.k];
  const number = (name: string) => (isSampled(a) ? about(human(count(n, name)), true) : exact(count(n, name)));
  const facts: [string, string][] = [['instruction', text(a.ptx) + (a.sites ? `, ${a.sites} of them in the PTX` : '')]];
  if (a.via) facts.push(['inlined from', callsOf(a)]);
  if (data.run.of === 'run' || checked) facts.push(['kernel', kernel.name]);
  if (!checked)
    facts.push(['executed', `${number('instructions')} times by a warp`],
      ['active lanes', `${per(count(n, 'threads') / Math.max(1, count(n, 'instructions')))} of 32 on average`]);
  facts.push(...(a.parts ?? []));
  if (kernel.spills?.some((n) => n > 0)) facts.push(['per thread', `${bytes(kernel.spills[0])} of stack, ${bytes(kernel.spills[1])} of register spills stored and ${bytes(kernel.spills[2])} loaded`]);
  if (kernel.occupancy) facts.push(['occupancy', kernel.occupancy]);
  for (const name of checked ? [] : ['sectors', 'tag_passes', 'wavefronts', 'data_wavefronts', 'bytes_used'])
    if (n[data.counts.indexOf(name)] !== null) facts.push([name.replace(/_/g, ' '), number(name)]);
  return (
    <section>
      <h3>{checked ? 'Code' : 'Counts'}</h3>
      <dl class="facts">{facts.map(([name, value]) => <><dt>{name}</dt><dd>{value}</dd></>)}</dl>
    </section>
  );
}

export function AccessView({ seen, device }: { seen: Seen; device: number }) {
  const { a } = seen, cost: Cost = a.judged?.bounds[device] ? [a.judged.bounds[device][1], a.judged.needed, a.cost[0][2]] : a.cost[device] ?? a.cost[0];
  const main = a.fixes[0], waste = cost[0] > cost[1] * 1.0001 && (!a.judged || ['costly', 'possible'].includes(standingOf(a, device))), title = main && waste ? text(main.title) : text(a.pattern);
  return (
    <article class="access" key={seen.id}>
      <p class="crumb">{placeOf(a)}{(data.run.of === 'run' || checked) && ` · ${data.kernels[a.k].label}`}</p>
      <h2>{capital(title)}</h2>
      <p class="what"><b>{text(a.what)}</b>{a.array !== undefined && <> of <code>{text(a.array)}</code></>}: {text(a.pattern)}</p>
      {(!a.judged || a.judged.bounds.length > 0) && <>
        <div class="big"><b><Bounds a={a} device={device} bare>{per(cost[0])}</Bounds></b><span>{one(cost[0], text(cost[2]))} per {perWhat(a)}{waste && <>, where <b>{per(cost[1])}</b> would do</>}</span></div>
        <Bar moved={Math.max(cost[0], cost[1])} waste={waste ? cost[0] - cost[1] : 0} thin />
      </>}
      {a.judged ? <JudgedBox a={a} device={device} /> : <p class="sub">{seen.waste > 0 ? <>{amountOf(seen.waste, a)} of {amountOf(seen.moved, a)} for nothing{seen.share > 0 && <>, {percent(seen.share)} of the {data.run.of === 'run' ? 'program’s ' : ''}waste</>}</> : 'Nothing moves that was not asked for.'}</p>}
      {a.timing !== undefined && <p class="note">How often this runs depends on timing ({text(a.timing)}): it is in no total.</p>}
      <Warps a={a} device={device} />
      {a.fixes.length > 0 && (
        <section>
          <h3>What would help {device > 0 && <small>on {data.run.devices[device].sm}</small>}</h3>
          {a.fixes.map((fix) => <FixCard fix={fix} device={device} />)}
        </section>
      )}
      {!checked && <section><h3>All warps {device > 0 && <small>on {data.run.devices[0].sm}</small>}</h3><Histogram a={a} /></section>}
      <Devices a={a} device={device} />
      <Facts a={a} device={device} />
    </article>
  );
}
