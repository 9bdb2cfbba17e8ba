// One access: what it costs, where its lanes go, what would help, how its warps differ, and what other architectures count.
import { useState } from 'preact/hooks';
import { Access, callsOf, Cost, count, data, Fix, hasText, pictureOf, placeOf, text } from './data';
import { bytes, capital, exact, human, one, per, percent, times } from './format';
import { Histogram } from './histogram';
import { laneOf, Seen, unitOf } from './model';
import { Bar, Choice } from './parts';
import { LanePicture } from './picture';

const perWhat = (a: Access) => (['shared', 'constant'].includes(text(a.space)) ? 'instruction' : 'request');
export const amountOf = (n: number, a: Access) =>
  laneOf(text(a.space)) === 'device' ? bytes(n) : `${human(n)} ${unitOf(laneOf(text(a.space)))}`;

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
          <span>{all === warps ? (all === 1 ? 'the only warp' : `all ${human(all)} warps`) : `${percent(warps / all)} of the warps`}: {text(c[3])}</span>
          <span>{per(actual)} {one(actual, unit)}</span>
        </figcaption>
        <LanePicture picture={pictureOf(c[4], device)!} />
      </figure>
    </section>
  );
}

function FixCard({ fix, a }: { fix: Fix; a: Access }) {
  const gain = fix.after ? fix.before / fix.after : fix.before, helps = fix.before > fix.after;
  const picture = pictureOf(fix.pic, 0), metric = text(fix.metric) === 'threads' ? 'updates' : text(fix.metric);
  return (
    <div class="fix">
      <p><b>{capital(text(fix.title))}.</b> {capital(text(fix.cause))}{text(fix.cause) && '.'}</p>
      {hasText(fix.change) && <p class="change">{capital(text(fix.change))}.</p>}
      {hasText(fix.example) && <pre class="example"><code>{text(fix.example)}</code></pre>}
      {helps && (
        <dl class="gain">
          <div><dt>{metric} now</dt><dd>{human(fix.before)}</dd></div>
          <div><dt>predicted</dt><dd class="to">{human(fix.after)}</dd></div>
          <div><dt>fewer</dt><dd>{fix.after ? times(gain) : 'all'}</dd></div>
          <div><dt>how sure</dt><dd class="words">{text(fix.sure)}</dd></div>
        </dl>
      )}
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
        <thead><tr><th scope="col">compute capability</th><th scope="col">{`per ${perWhat(a)}`}</th><th scope="col">would do</th><th scope="col">{lane === 'device' ? 'moved' : unitOf(lane)}</th></tr></thead>
        <tbody>
          {rows.map(({ cost, n, name }, i) => (
            <tr class={i === device ? 'now' : ''}>
              <th scope="row">{name}</th>
              <td>{per(cost[0])} {one(cost[0], text(cost[2]))}</td>
              <td>{per(cost[1])}</td>
              <td>{lane === 'device' ? bytes(count(n, 'moved_bytes')) : human(count(n, lane === 'shared' ? 'wavefronts' : 'requests'))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Facts({ a, device }: { a: Access; device: number }) {
  const n = a.n[device] ?? a.n[0], kernel = data.kernels[a.k];
  const facts: [string, string][] = [
    ['instruction', text(a.ptx) + (a.sites ? `, ${a.sites} of them in the PTX` : '')],
    ['executed', `${exact(count(n, 'instructions'))} times by a warp`],
    ['active lanes', `${per(count(n, 'threads') / Math.max(1, count(n, 'instructions')))} of 32 on average`],
    ['kernel', kernel.name],
  ];
  if (kernel.spills?.some((n) => n > 0)) facts.push(['per thread', `${bytes(kernel.spills[0])} of stack, ${bytes(kernel.spills[1])} of register spills stored and ${bytes(kernel.spills[2])} loaded`]);
  if (a.via) facts.splice(3, 0, ['inlined from', callsOf(a)]);
  for (const name of ['sectors', 'tag_passes', 'wavefronts', 'data_wavefronts', 'bytes_used'])
    if (n[data.counts.indexOf(name)] !== null) facts.push([name.replace(/_/g, ' '), exact(count(n, name))]);
  return (
    <section>
      <h3>Counts</h3>
      <dl class="facts">{facts.map(([name, value]) => <><dt>{name}</dt><dd>{value}</dd></>)}</dl>
    </section>
  );
}

export function AccessView({ seen, device }: { seen: Seen; device: number }) {
  const { a } = seen, cost = a.cost[device] ?? a.cost[0], main = a.fixes[0];
  const waste = cost[0] > cost[1] * 1.0001, title = main && waste ? text(main.title) : text(a.pattern);
  return (
    <article class="access" key={seen.id}>
      <p class="crumb">{placeOf(a)} · {data.kernels[a.k].label}</p>
      <h2>{capital(title)}</h2>
      <p class="what"><b>{text(a.what)}</b>{a.array !== undefined && <> of <code>{text(a.array)}</code></>}: {text(a.pattern)}</p>
      <div class="big"><b>{per(cost[0])}</b><span>{one(cost[0], text(cost[2]))} per {perWhat(a)}{waste && <>, where <b>{per(cost[1])}</b> would do</>}</span></div>
      <Bar moved={Math.max(cost[0], cost[1])} waste={Math.max(0, cost[0] - cost[1])} thin />
      <p class="sub">{seen.waste > 0 ? <>{amountOf(seen.waste, a)} of {amountOf(seen.moved, a)} for nothing{seen.share > 0 && <>, {percent(seen.share)} of the program’s waste</>}</> : 'Nothing moves that was not asked for.'}</p>
      {a.timing !== undefined && <p class="note">How often this runs depends on timing ({text(a.timing)}): it is in no total.</p>}
      <Warps a={a} device={device} />
      {a.fixes.length > 0 && (
        <section>
          <h3>What would help {device > 0 && <small>as counted for {data.run.devices[0].sm}</small>}</h3>
          {a.fixes.map((fix) => <FixCard fix={fix} a={a} />)}
        </section>
      )}
      <section><h3>All warps</h3><Histogram a={a} /></section>
      <Devices a={a} device={device} />
      <Facts a={a} device={device} />
    </article>
  );
}
