// Two runs held against each other: `warplens diff --html`. The data are the JSON of `warplens diff --json`
// (docs/schema/diff-1.schema.json).
import { render } from 'preact';
import { useState } from 'preact/hooks';
import { bytes, capital, human, one, per, percent, plural, times } from './format';
import { Bar, Choice } from './parts';
import { turnTheme } from './theme';

type Change = 'worse' | 'better' | 'added' | 'removed' | 'same';
interface Cost { cycles: number; excess_cycles: number; moved_bytes: number; excess_bytes: number }
interface Side { name: string; complete: boolean; launches: number; cost: Cost | null; spaces: Record<string, { unit: string; moved: number; excess: number }> }
interface AccessSide { what: string; array: string | null; pattern: string | null; unit: string; each: number; ideal: number | null; cost: Cost | null }
interface Access { change: Change; before: AccessSide | null; after: AccessSide | null }
interface Place { file: string | null; line: number | null; source: string | null; function: string | null; calls: string[] }
interface Line { change: Change; edited: boolean; before: Place | null; after: Place | null; cost_before: Cost | null; cost_after: Cost | null; accesses: Access[] }
interface KernelSide { name: string; short: string; launches: number; cost: Cost | null }
interface Kernel { change: Change; renamed: boolean; per_launch: boolean; before: KernelSide | null; after: KernelSide | null; lines: Line[] }
interface Comparison {
  tool: { version: string }; of: string; sm: number | null; change: Change; verdict: string;
  before: Side; after: Side; warnings: string[]; notes: string[]; fails: string[]; kernels: Kernel[];
}

const data: Comparison = JSON.parse(document.getElementById('data')!.textContent!);
const signs: Record<Change, string> = { worse: '▲ worse', better: '▼ better', added: '+ added', removed: '− removed', same: '= same' };
const Sign = ({ change }: { change: Change }) => <span class={`sign ${change}`}>{signs[change]}</span>;

function grown(before: number | undefined, after: number | undefined): string {
  if (before === undefined || after === undefined) return '';
  if (before === after) return 'same';
  if (before === 0) return 'new';
  if (after >= 2 * before) return times(after / before);
  return `${after > before ? '+' : '−'}${percent(Math.abs(after / before - 1))}`;
}

const placeText = (p: Place | null) => (!p ? '' : [...p.calls, p.file ? `${p.file}:${p.line}` : p.function ? `function ${p.function}` : ''].join(' → '));

function Spaces() {
  const names = [...new Set([...Object.keys(data.before.spaces), ...Object.keys(data.after.spaces)])];
  return (
    <div class="totals">
      {names.map((name) => {
        const old = data.before.spaces[name], now = data.after.spaces[name], unit = (old ?? now).unit;
        const amount = (n: number) => (unit === 'bytes' ? bytes(n) : human(n)), most = Math.max(old?.moved ?? 0, now?.moved ?? 0);
        return (
          <div class="total">
            <h2>{capital(name)} memory <span>{unit}</span></h2>
            {([['before', old], ['after', now]] as const).map(([words, side]) => (
              <div class="tb pair"><span>{words}</span><Bar moved={side?.moved ?? 0} waste={side?.excess ?? 0} of={most} /><b>{amount(side?.moved ?? 0)}</b></div>
            ))}
            <p class="key"><span><i class="u" aria-hidden="true" />needed</span><span><i class="w" aria-hidden="true" />for nothing: {amount(old?.excess ?? 0)} → {amount(now?.excess ?? 0)}</span></p>
          </div>
        );
      })}
    </div>
  );
}

const byCycles = data.of === 'runs';
// What it costs more or less; of what only one side has, all that it costs.
function Grown({ before, after }: { before: AccessSide | null; after: AccessSide | null }) {
  const amount = (side: AccessSide | null) => (byCycles ? side?.cost?.cycles : side?.each), old = amount(before), now = amount(after);
  if (before && after) return <>{grown(old, now)}</>;
  return <>{old !== undefined ? `−${human(old)}` : now !== undefined ? `+${human(now)}` : ''}</>;
}

function AccessRow({ access: { change, before, after } }: { access: Access }) {
  const some = after ?? before!, side = (s: AccessSide | null) => (s ? `${per(s.each)} ${one(s.each, s.unit)}` : '–');
  const patterns = [...new Set([before?.pattern, after?.pattern])].filter(Boolean).join(' → ');
  return (
    <tr>
      <td><Sign change={change} />{some.what}{some.array && <code> {some.array}</code>}{patterns && <small>{patterns}</small>}</td>
      <td class="r num">{side(before)}</td>
      <td class="r num">{side(after)}</td>
      <td class="r num"><Grown before={before} after={after} /></td>
    </tr>
  );
}

function LineRows({ line }: { line: Line }) {
  const old = placeText(line.before), now = placeText(line.after), { edited } = line, source = (line.after ?? line.before)?.source;
  return (
    <tbody>
      <tr><th colSpan={4} scope="rowgroup">
        <code>{old && now && old !== now ? `${old} ⇒ ${now}` : now || old}</code>{line.cost_before && line.cost_after && <span class="fnt"> {grown(line.cost_before.cycles, line.cost_after.cycles)} cycles</span>}
        {source && <pre class="example"><code>{edited && line.before?.source ? `− ${line.before.source}\n+ ${line.after?.source}` : source}</code></pre>}
      </th></tr>
      {line.accesses.map((access) => <AccessRow access={access} />)}
    </tbody>
  );
}

function KernelBox({ kernel, most, first }: { kernel: Kernel; most: number; first: boolean }) {
  const [open, toggle] = useState(first && kernel.change !== 'same'), { before, after } = kernel;
  const label = after?.short ?? before!.short, cost = (side: KernelSide | null) => side?.cost;
  const lines = kernel.lines.filter((line) => line.change !== 'same');
  return (
    <li class={open ? 'find open' : 'find'}>
      <h3><button type="button" class="fh" aria-expanded={open} onClick={() => toggle(!open)}>
        <span />
        <span class="fm"><span class="ft"><Sign change={kernel.change} /> <code>{label}</code></span>
          <span class="fw">{kernel.renamed && `was ${before!.short}; `}{lines.length ? `${plural(lines.length, 'line')} changed` : 'no line changed'}{kernel.per_launch && '; costs are averages of a launch'}</span></span>
        <span class="fs">{cost(before) && <Bar moved={cost(before)!.cycles} waste={cost(before)!.excess_cycles} of={most} thin />}{cost(after) && <Bar moved={cost(after)!.cycles} waste={cost(after)!.excess_cycles} of={most} thin />}</span>
        <span class="fg">{cost(before) && cost(after) && <><b>{grown(cost(before)!.cycles, cost(after)!.cycles)}</b> {cost(before)!.cycles === cost(after)!.cycles ? '' : 'cycles'}</>}</span>
        <span class="chev" aria-hidden="true">›</span>
      </button></h3>
      {open && (
        <div class="lines-of scroll" tabIndex={0} role="group" aria-label={`Lines of ${label}`}>
          <table class="changes">
            <thead><tr><th scope="col">access</th><th scope="col" class="r">each before</th><th scope="col" class="r">after</th><th scope="col" class="r">{byCycles ? 'cycles' : 'each'}</th></tr></thead>
            {(lines.length ? lines : kernel.lines).slice(0, 200).map((line) => <LineRows line={line} />)}
          </table>
          {lines.length > 200 && <p>and {lines.length - 200} more: see --json</p>}
        </div>
      )}
    </li>
  );
}

function Page() {
  const [shown, choose] = useState<Change | 'all'>('all'), [query, search] = useState(''), [limit, more] = useState(50);
  const has = (change: Change) => data.kernels.some((k) => k.change === change);
  const options = (['all', 'worse', 'better', 'added', 'removed', 'same'] as const).filter((c) => c === 'all' || has(c)).map((c): [Change | 'all', string] => [c, c]);
  const words = query.toLowerCase();
  const kernels = data.kernels.filter((k) => (shown === 'all' || k.change === shown) && `${k.before?.name} ${k.after?.name} ${k.before?.short} ${k.after?.short}`.toLowerCase().includes(words));
  const most = Math.max(1, ...data.kernels.map((k) => Math.max(k.before?.cost?.cycles ?? 0, k.after?.cost?.cycles ?? 0)));
  const sm = data.sm === null ? '' : `compute capability ${Math.floor(data.sm / 10)}.${data.sm % 10}`;
  return (
    <>
      <header id="top"><span class="brand">WarpLens<small title={`${data.before.name} → ${data.after.name}`}>what changed</small></span><span class="grow" />
        <label class="search"><input type="search" placeholder="Search" aria-label="Search kernels" value={query} onInput={(e) => search(e.currentTarget.value.trim())} /></label>
        <button type="button" class="icon" aria-label="Light or dark" onClick={turnTheme}>◐</button></header>
      <main class="page">
        <h1 class="verdict">{capital(data.verdict)}</h1>
        <p class="meta"><span class="mono">before: {data.before.name}</span><span class="mono">after: {data.after.name}</span>{sm && <span>{sm}</span>}{data.of === 'runs' && <span>{plural(data.before.launches, 'launch')} before, {human(data.after.launches)} after</span>}</p>
        {data.fails.length + data.warnings.length + data.notes.length > 0 && (
          <section class="gaps" aria-label="Notes"><ul>{data.fails.map((t) => <li><b>fails</b>: {t}</li>)}{data.warnings.map((t) => <li><b>{t}</b></li>)}{data.notes.map((t) => <li>{t}</li>)}</ul></section>
        )}
        <Spaces />
        <section aria-labelledby="kernels">
          <div class="sh"><h2 id="kernels">Kernels</h2>{options.length > 2 && <Choice label="Which" value={shown} options={options} choose={choose} />}<p>{data.of === 'runs' ? 'upper bar before, lower bar after: cycles of an SM’s busiest stage, hatched those for nothing' : 'findings of baselines'}</p></div>
          {kernels.length > 0 ? <ol class="finds">{kernels.slice(0, limit).map((k, i) => <KernelBox key={data.kernels.indexOf(k)} kernel={k} most={most} first={i < 3} />)}</ol> : <p class="none">No kernel matches.</p>}
          {kernels.length > limit && <button type="button" class="more" onClick={() => more(limit + 200)}>{kernels.length - limit} more</button>}
        </section>
        <footer class="foot"><p>WarpLens {data.tool.version}. In this file: Preact (MIT, © Jason Miller and others).</p></footer>
      </main>
    </>
  );
}

render(<Page />, document.getElementById('app')!);
