// The answer: what is for nothing, why, what to change, in which kernels, and what the numbers do not hold.
import { useState } from 'preact/hooks';
import { amountOf, CostText } from './access';
import { checked, data, Finding, hasText, linesOf, pictureOf, placeOf, stackOf, text } from './data';
import { about, bytes, capital, human, one, per, percent, plural, sentence, times } from './format';
import { Launches, varies } from './launches';
import { Bounds, JudgedDevices, JudgedKernels, JudgedVerdict, standingText, Standings } from './judged';
import { findingsOf, firstOf, fixOf, hrefOf, Lane, SeenFinding, spacesOf, View } from './model';
import { Bar, Choice, KernelName } from './parts';
import { LanePicture } from './picture';

const { run } = data;
const amount = (n: number, lane: Lane) => (lane === 'device' ? bytes(n) : human(n));
const total = (n: number, lane: Lane) => about(amount(n, lane), run.counted.includes('sampled'));
const unit: Record<Lane, string> = { device: 'bytes between warps and the L1', shared: 'wavefronts (passes)', constant: 'requests' };

function Verdict({ view }: { view: View }) {
  const wasteful = (Object.entries(view.totals) as [Lane, [number, number]][]).filter(([, [moved, waste]]) => waste > 0.005 * moved && moved > 0);
  const words: Record<Lane, string> = { device: 'traffic between warps and the L1', shared: 'shared-memory passes', constant: 'constant-memory requests' };
  const findings = findingsOf(view), large = findings.filter((f) => f.share >= 0.05), some = large.length, covered = large.reduce((sum, f) => sum + f.share, 0);
  if (checked) return <><JudgedVerdict view={view} />{findings.length > 0 && <Lead finding={findings[0]} />}</>;
  if (!run.launches || !data.accesses.length) return <h1 class="verdict">No memory access was counted.</h1>;
  if (!wasteful.length) return <h1 class="verdict fine"><b>Nothing to fix:</b> no access moves more than its lanes ask for.</h1>;
  return (
    <>
      <h1 class="verdict">
        {wasteful.map(([lane, [moved, waste]], i) => <>{i > 0 && (i === wasteful.length - 1 ? ' and ' : ', ')}<b>{percent(waste / moved)}</b> of the {words[lane]}</>)}{' '}
        {wasteful.length === 1 ? 'is' : 'are'} for nothing.
        {some > 1 && <> {capital(['', '', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'][some] ?? `${some}`)} causes make {percent(Math.min(1, covered))} of the waste.</>}
      </h1>
      {findings.length > 0 && <Lead finding={findings[0]} />}
    </>
  );
}

function Lead({ finding: { f, share } }: { finding: SeenFinding }) {
  const a = firstOf(f), fix = fixOf(f);
  return (
    <p class="lead">
      {share > 0 && !checked ? <>The worst, <b>{percent(share)}</b>, is at </> : <>The worst is at </>}
      <a class="mono" href={hrefOf(a, f.accesses[0])}>{placeOf(a)}</a>: {text(fix ? fix.title : a.pattern)}.
    </p>
  );
}

const howCounted = {
  replay: 'exact: each access is counted as the file has it', explain: 'exact: every warp of the block is counted',
  check: 'judged from the code, for all launches: nothing was run',
};

function Meta({ view }: { view: View }) {
  const counted = run.counted.join(' and ') || 'nothing', d = run.devices[view.device];
  return (
    <p class="meta">
      <span>{run.of !== 'run' ? howCounted[run.of] : run.complete ? (counted === 'exact' ? `exact: every warp of ${plural(run.launches, 'launch')} was counted` : `${counted}: ${plural(run.launches, 'launch')}`) : `${counted}, as far as it was counted`}</span>
      <span>{(checked || run.of === 'run') && <>{plural(data.kernels.length, 'kernel')}, </>}{plural(data.accesses.length, 'access')}</span>
      {run.ranks > 0 && <span>{plural(run.ranks, 'rank')}</span>}
      <span>compute capability {d.sm}{d.name && `, ${d.name}`}</span>
      {(run.exit !== 0 || run.signal !== 0) && <span class="warn">{run.signal ? `the program ended by signal ${run.signal}` : `the program ended with exit code ${run.exit}`}</span>}
      <span class="mono">{run.command.join(' ')}</span>
    </p>
  );
}

function Totals({ view }: { view: View }) {
  return (
    <div class="totals">
      {(Object.entries(view.totals) as [Lane, [number, number]][]).filter(([, [moved]]) => moved > 0).map(([lane, [moved, waste]]) => (
        <div class="total">
          <h2>{capital(spacesOf(lane))} <span>{unit[lane]}</span></h2>
          <div class="tb"><Bar moved={moved} waste={waste} /><b>{total(moved, lane)}</b></div>
          <p class="key"><span><i class="u" aria-hidden="true" />needed: {total(moved - waste, lane)}</span><span><i class="w" aria-hidden="true" />for nothing: {total(waste, lane)} ({percent(moved ? waste / moved : 0)})</span></p>
        </div>
      ))}
    </div>
  );
}

function Gaps() {
  const serious = data.messages.filter((m) => m.severity !== 'note');
  if (!data.gaps.length && !serious.length) return null;
  const many = data.gaps.length > 6;
  const list = (gaps: [string, string][]) => <ul>{gaps.map(([what, why]) => <li><b>{what}</b>{why && `: ${why}`}</li>)}</ul>;
  return (
    <section class="gaps" aria-labelledby="gaps">
      <h2 id="gaps">Not in these numbers</h2>
      {list(many ? data.gaps.slice(0, 5) : data.gaps)}
      {many && <details><summary>{data.gaps.length - 5} more</summary>{list(data.gaps.slice(5))}</details>}
      {serious.length > 0 && <p><a href="#messages">{plural(serious.length, 'message')}</a> of the run</p>}
    </section>
  );
}

function Gain({ finding }: { finding: SeenFinding }) {
  if (!finding.effect) return <span class="fg" />;
  const [before, after] = finding.effect, metric = finding.f.predicted![0], name = text(metric) === 'threads' ? 'updates' : text(metric);
  if (before <= after * 1.05) return <span class="fg" />;
  return <span class="fg"><b>{after ? times(before / after) : 'no'}</b> {after ? `fewer ${name}` : name}</span>;
}

// The other lines with the same cause.
function Also({ finding }: { finding: Finding }) {
  const [first, ...others] = finding.accesses, places = new Map<string, number>();
  for (const id of others) if (placeOf(data.accesses[id]) !== placeOf(data.accesses[first]) && !places.has(placeOf(data.accesses[id]))) places.set(placeOf(data.accesses[id]), id);
  const shown = [...places].slice(0, 6);
  if (!others.length) return null;
  return (
    <p class="sub also">and {plural(others.length, 'access')} more with the same cause{shown.length > 0 && ', at '}
      {shown.map(([place, id]) => <><a class="mono" href={hrefOf(data.accesses[id], id)}>{place}</a> </>)}{places.size > shown.length && `and ${places.size - shown.length} more lines`}</p>
  );
}

function FindingRow({ seen, view, rank, open, toggle }: { seen: SeenFinding; view: View; rank: number; open: boolean; toggle: () => void }) {
  const { f: finding, share, cost, effect } = seen, { device } = view;
  const a = firstOf(finding), fix = fixOf(finding), typical = pictureOf(a.classes[0]?.[4], device), after = fix && effect && effect[0] > effect[1] ? pictureOf(fix.pic, device) : null;
  const most = Math.max(...findingsOf(view).map((f) => f.share)), lines = a.f >= 0 ? linesOf(a.f)[a.l - 1] : undefined, limit = checked ? null : data.kernels[a.k].limit;
  return (
    <li class={open ? 'find open' : 'find'} data-find={rank}>
      <h3><button type="button" class="fh" aria-expanded={open} onClick={toggle}>
        <span class="rank">{rank + 1}</span>
        <span class="fm"><span class="ft">{capital(text(fix ? fix.title : a.pattern))}</span>
          <span class="fw"><code>{finding.places}</code>{finding.arrays.length > 0 && <> · {finding.arrays.slice(0, 3).map((name, i) => <>{i > 0 && ', '}<code>{name}</code></>)}{finding.arrays.length > 3 && ` and ${finding.arrays.length - 3} more`}</>}{(checked || run.of === 'run') && ' · '}{(checked || run.of === 'run' ? finding.kernels.slice(0, 2) : []).join(', ')}{finding.kernels.length > 2 && ` and ${finding.kernels.length - 2} more`}{checked && ` · ${standingText(a, device)}`}</span></span>
        <span class="fs">{checked ? <><b><Bounds a={a} device={device}>{''}</Bounds></b><small>{a.judged?.needed} would do</small></> : share > 0 ? <><b>{percent(share)}</b> of the waste<Bar moved={share} waste={share} of={most} thin /></> : finding.wait > 0 ? 'atomics wait' : ''}</span>
        <Gain finding={seen} />
        <span class="chev" aria-hidden="true">›</span>
      </button></h3>
      {open && (
        <div class="fb">
          <div>
            <h4>Where <code>{stackOf(a)}</code></h4>
            <a class="where" href={hrefOf(a, finding.accesses[0])}><span class="wn">{a.f >= 0 ? a.l : ''}</span><code class="wt">{lines?.trim() || placeOf(a)}</code></a>
            <Also finding={finding} />
            <h4>Why</h4>
            <p>{text(a.what)}: {text(a.pattern)}. {checked ? <><Bounds a={a} device={device}>{''}</Bounds> a warp, where {a.judged?.needed} would do.</> : <><CostText cost={cost} />; {amountOf(seen.waste, a)} for nothing.</>}{fix && hasText(fix.cause) && ` ${sentence(text(fix.cause))}`}</p>
            <h4>Change {fix && <span class="sure">{text(fix.sure)}</span>}</h4>
            <p>{fix && hasText(fix.change) ? sentence(text(fix.change)) : 'None that WarpLens knows.'}</p>
            {fix && hasText(fix.example) && <pre class="example"><code>{text(fix.example)}</code></pre>}
            {limit && <><h4>Time</h4><p>{sentence(limit.meaning)}</p></>}
            <a class="go" href={hrefOf(a, finding.accesses[0])}>Open in the source</a>
          </div>
          <div class="pics">
            {typical && <figure class="pic"><figcaption><span>Now: a {checked ? 'full' : 'typical'} warp</span><span>{device === 0 && <>{per(a.classes[0][1])} {one(a.classes[0][1], text(a.cost[0][2]))}</>}</span></figcaption><LanePicture picture={typical} most={6} /></figure>}
            {after && <figure class="pic"><figcaption><span>After the change, predicted</span><span>{fix!.effect[device] && <>{human(fix!.effect[device]![0])} → {human(fix!.effect[device]![1])} {text(fix!.metric)}</>}</span></figcaption><LanePicture picture={after} most={6} /></figure>}
          </div>
        </div>
      )}
    </li>
  );
}

function Findings({ view, open, setOpen, all, setAll }: { view: View; open: number; setOpen: (n: number) => void; all: boolean; setAll: (all: boolean) => void }) {
  if (!data.findings.length) return null;
  const findings = findingsOf(view), shown = all ? findings : findings.slice(0, 10);
  return (
    <section aria-labelledby="change">
      <div class="sh"><h2 id="change">What to change</h2><p>by the cycles that are lost{checked && ', if each ran once'}{run.devices.length > 1 && `, on ${run.devices[view.device].sm}`}</p></div>
      <ol class="finds">{shown.map((f, i) => <FindingRow seen={f} view={view} rank={i} open={open === i || open === -2} toggle={() => setOpen(open === i ? -1 : i)} />)}</ol>
      {data.findings.length > shown.length && <button type="button" class="more" onClick={() => setAll(true)}>{data.findings.length - shown.length} more</button>}
    </section>
  );
}

type Order = 'waste' | 'moved' | 'launches' | 'name';

function Kernels({ view, query }: { view: View; query: string }) {
  const [order, by] = useState<Order>('waste'), [all, showAll] = useState(false);
  const lanes = (['device', 'shared', 'constant'] as Lane[]).filter((lane) => view.totals[lane][0] > 0);
  const words = query.toLowerCase().split(/\s+/);
  const rows = view.kernels.filter((x) => words.every((word) => x.k.name.toLowerCase().includes(word) || x.k.label.toLowerCase().includes(word)));
  const key: Record<Order, (x: (typeof rows)[0]) => number> = { waste: (x) => x.cycles, moved: (x) => x.sums.device[0] + 128 * x.sums.shared[0], launches: (x) => x.k.launches, name: () => 0 };
  rows.sort((p, q) => (order === 'name' ? p.k.label.localeCompare(q.k.label) : key[order](q) - key[order](p)) || p.id - q.id);
  const shown = all ? rows : rows.slice(0, 20), top = (lane: Lane) => Math.max(...view.kernels.map((x) => x.sums[lane][0]), 1);
  return (
    <section aria-labelledby="kernels">
      <div class="sh"><h2 id="kernels">Kernels</h2>
        <Choice label="Order" value={order} options={[['waste', 'by waste'], ['moved', 'by traffic'], ['launches', 'by launches'], ['name', 'by name']]} choose={by} /></div>
      <div class="scroll" tabIndex={0} role="group" aria-label="Table of kernels">
        <table class="kernels">
          <thead><tr><th scope="col">kernel</th><th scope="col" class="r">launches</th><th scope="col" class="r">of the waste</th>{lanes.map((lane) => <th scope="col">{spacesOf(lane)}, {lane === 'device' ? 'bytes' : lane === 'shared' ? 'wavefronts' : 'requests'}</th>)}<th scope="col">limited by</th></tr></thead>
          <tbody>
            {shown.map((x) => (
              <tr>
                <th scope="row"><a href={`#accesses/${x.id}`} title={x.k.name}><code><KernelName label={x.k.label} /></code></a>{!['exact', 'proved'].includes(x.k.status) && <span class="warn"> {x.k.status}{x.k.extent && ` ${x.k.extent}`}</span>}{x.k.parts?.map(([, words]) => <div class="sub">{words}</div>)}</th>
                <td class="r num">{human(x.k.launches)}</td>
                <td class="r num">{x.share > 0 ? <b class="waste">{percent(x.share)}</b> : '–'}</td>
                {lanes.map((lane) => {
                  const [moved, waste] = x.sums[lane];
                  return <td>{moved > 0 && <span class="kb"><Bar moved={moved} waste={waste} of={top(lane)} thin /><span class="num">{about(amount(moved, lane), x.k.status === 'sampled')}{waste > 0 && <>, <span class="waste">{about(amount(waste, lane), x.k.status === 'sampled')} for nothing</span></>}</span></span>}</td>;
                })}
                <td class="busy">{x.k.limit?.by}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > shown.length && <button type="button" class="more" onClick={() => showAll(true)}>{rows.length - shown.length} more</button>}
    </section>
  );
}

function Devices({ views, device, choose }: { views: View[]; device: number; choose: (d: number) => void }) {
  const lanes = (['device', 'shared', 'constant'] as Lane[]).filter((lane) => views.some((v) => v.totals[lane][0] > 0));
  return (
    <section aria-labelledby="devices">
      <div class="sh"><h2 id="devices">Architectures</h2><p>the same lanes, counted by other rules</p></div>
      <div class="scroll" tabIndex={0} role="group" aria-label="Table of architectures">
        <table class="arch">
          <thead><tr><th scope="col">compute capability</th>{lanes.map((lane) => <><th scope="col" class="r">{spacesOf(lane)}</th><th scope="col" class="r">for nothing</th><th scope="col" class="r">against {run.devices[0].sm}</th></>)}</tr></thead>
          <tbody>
            {views.map((v, i) => (
              <tr class={i === device ? 'now' : ''}>
                <th scope="row"><button type="button" onClick={() => choose(i)}>{run.devices[i].sm}</button> <small>{run.devices[i].generation}</small></th>
                {lanes.map((lane) => {
                  const [moved, waste] = v.totals[lane], [base] = views[0].totals[lane];
                  return <><td class="r num">{total(moved, lane)}</td><td class="r num">{percent(moved ? waste / moved : 0)}</td><td class="r num">{i === 0 || !base ? '–' : moved === base ? 'same' : `${moved > base ? '+' : '−'}${percent(Math.abs(moved / base - 1))}`}</td></>;
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function LaunchPlots() {
  const kernels = data.kernels.filter((k) => k.launches > 2 && k.runs.length > 0), changing = kernels.filter(varies);
  const [all, showAll] = useState(false);
  if (!changing.length) return null;
  const alike = kernels.length - changing.length, shown = all ? changing : changing.slice(0, 4);
  return (
    <section aria-labelledby="launches">
      <div class="sh"><h2 id="launches">Launches</h2><p>what each launch moved{alike > 0 && `; ${plural(alike, 'other kernel')} counted the same in every launch`}</p></div>
      <div class="plots">{shown.map((k) => <Launches kernel={k} />)}</div>
      {changing.length > shown.length && <button type="button" class="more" onClick={() => showAll(true)}>{changing.length - shown.length} more</button>}
    </section>
  );
}

function Messages() {
  if (!data.messages.length) return null;
  return (
    <section aria-labelledby="messages">
      <div class="sh"><h2 id="messages">Messages</h2></div>
      <ul class="messages">
        {data.messages.slice(0, 200).map((m) => (
          <li><b>{m.severity}</b> <span class="mono">{m.place}</span>{m.text}{m.times > 1 && ` (${human(m.times)} times)`}
            {m.source && <pre class="example"><code>{m.source}</code></pre>}
            {m.notes?.map((note) => <p>note: {note}</p>)}{m.help && <p>help: {m.help}</p>}</li>
        ))}
      </ul>
      {data.messages.length > 200 && <p>and {data.messages.length - 200} more</p>}
    </section>
  );
}

export function Overview(props: { view: View; views: View[]; query: string; choose: (d: number) => void; open: number; setOpen: (n: number) => void; all: boolean; setAll: (all: boolean) => void }) {
  const { view, views } = props, d = run.devices[0];
  return (
    <div class="page">
      <Verdict view={view} />
      <Meta view={view} />
      {checked ? <Standings view={view} /> : <Totals view={view} />}
      <Gaps />
      {!props.query && <Findings {...props} />}
      {run.of === 'run' && <Kernels view={view} query={props.query} />}
      {checked && <JudgedKernels view={view} />}
      {views.length > 1 && (checked ? <JudgedDevices views={views} device={view.device} choose={props.choose} /> : <Devices views={views} device={view.device} choose={props.choose} />)}
      {run.of === 'run' && <LaunchPlots />}
      <Messages />
      <footer class="foot">
        {d && d.sector_cycles > 0 && <p>Ranked by the cycles lost at an SM’s busiest stage: a pass of shared memory or the L1 takes {d.pass_cycles}, a sector {d.sector_cycles}. A sector is 32 bytes; a wavefront is a pass of shared memory. {run.of === 'run' && `“At least” is a lower bound on a kernel’s time on ${d.name}, with all its data in the L1.`}</p>}
        {run.of === 'run' && <p>Times that the program measured are those of the emulation, not of a GPU.</p>}
        {checked && <p>What verdicts mean and what they assume: <code>warplens check --help</code>, docs/do/check.md.</p>}
        <p>WarpLens {data.version}. In this file: Preact (MIT, © Jason Miller and others), Prism (MIT, © Lea Verou and others).</p>
      </footer>
    </div>
  );
}
