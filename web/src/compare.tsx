// What was predicted and what GPUs counted, side by side: `warplens compare --html`. The data are the JSON of
// `warplens compare --json` (docs/schema/compare-1.schema.json).
import { render } from 'preact';
import { useState } from 'preact/hooks';
import { capital, exact, human, percent, plural } from './format';
import { Choice } from './parts';
import { turnTheme } from './theme';

interface Side { name: string; measured: { tool: string | null; gpu: string | null; driver: string | null } | null; predicted_from: 'ptx' | 'machine-code' | null }
interface Count { count: string; values: (number | null)[]; residual: number; reason: string }
interface Line { file: string | null; line: number | null; function: string | null; source: string | null; space: string; op: string; lines: (number | null)[]; instructions: (string | null)[]; reason: string; counts: Count[] }
type Dim = [number, number, number] | null;
interface Group { first: number; count: number; grid: Dim[]; block: Dim[]; problem: (string | null)[]; bound_seconds: number | null; measured_seconds: number | null; lines: Line[]; sums: Count[] }
interface Kernel { name: string; launches: number[]; groups: Group[] }
interface Comparison {
  tool: { version: string }; sides: Side[]; compared: [number, number]; differs: boolean; equal: number; different: Record<string, number>;
  reasons: Record<string, string>; launches: number; launches_equal: number; sums: number; sums_equal: number; notes: string[]; kernels: Kernel[];
}

const data: Comparison = JSON.parse(document.getElementById('data')!.textContent!);
const [base, other] = data.compared, letters = ['A', 'B', 'C'];
const different = Object.values(data.different).reduce((a, b) => a + b, 0), counts = data.equal + different;
const how = ({ measured: m, predicted_from: from }: Side) => (!m ? `predicted from ${from === 'machine-code' ? 'machine code' : 'PTX'}` : `measured${m.tool ? ` by ${m.tool}` : ''}${m.gpu ? ` on ${m.gpu}` : ''}${m.driver ? `, driver ${m.driver}` : ''}`);
const both = (group: Group) => group.grid[base] !== null && group.grid[other] !== null;
const differing = (of: { counts?: Count[]; sums?: Count[] }) => (of.counts ?? of.sums!).filter((c) => c.reason !== 'none');
const differences = (group: Group) => group.lines.reduce((n, line) => n + differing(line).length, 0) + differing({ sums: group.sums }).length;
const ofKernel = (kernel: Kernel) => kernel.groups.filter(both).reduce((n, group) => n + differences(group), 0);
const residual = (c: Count) => (c.residual === 0 ? '=' : `${c.residual > 0 ? '+' : '−'}${Math.abs(c.residual) < 0.0005 ? '<0.1' : (100 * Math.abs(c.residual)).toFixed(1)}%`);
const time = (seconds: number) => (seconds < 1e-3 ? `${(seconds * 1e6).toPrecision(3)} µs` : `${(seconds * 1e3).toPrecision(3)} ms`);
const shape = (d: Dim) => (d ? d.filter((x, i) => i === 0 || x !== 1 || (i === 1 && d[2] !== 1)).map(exact).join('×') : '–');
const elsewhere = (line: Line) => line.lines.map((n, s) => (n !== null && n !== line.line ? `${letters[s]}: ${n}` : '')).filter(Boolean).join(', ');
const placeText = (line: Line) => (line.file ? `${line.file.split('/').pop()}:${line.line}${elsewhere(line) && ` (${elsewhere(line)})`}` : line.function ? `function ${line.function}` : 'without a line');

function Counts({ counts, label }: { counts: Count[]; label: string }) {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={label}>
      <table class="changes">
        <thead><tr><th scope="col">count</th>{data.sides.map((side, i) => <th scope="col" class="r"><abbr title={`${side.name}: ${how(side)}`}>{letters[i]}</abbr></th>)}<th scope="col" class="r">{letters[other]} against {letters[base]}</th><th scope="col">why</th></tr></thead>
        <tbody>{counts.map((c) => (
          <tr><td>{c.count}</td>{c.values.map((value) => <td class="r num">{value === null ? '–' : exact(Math.round(value))}</td>)}<td class="r num">{residual(c)}</td><td>{data.reasons[c.reason] ?? ''}</td></tr>
        ))}</tbody>
      </table>
    </div>
  );
}

function LineBox({ line, all }: { line: Line; all: boolean }) {
  const shown = all ? line.counts : differing(line), opcodes = [...new Set(line.instructions.filter(Boolean))].join(' ⇒ ');
  return (
    <li>
      <p class="lhead"><code>{placeText(line)}</code> <span class="fnt">{line.space} {line.op}{opcodes && `: ${opcodes}`}</span></p>
      {line.source && <pre class="example"><code>{line.source}</code></pre>}
      <Counts counts={shown} label={`Counts of ${placeText(line)}`} />
    </li>
  );
}

function GroupBox({ group, all }: { group: Group; all: boolean }) {
  const lines = group.lines.filter((line) => all || differing(line).length > 0), sums = all ? group.sums : differing({ sums: group.sums });
  const slow = group.bound_seconds !== null && group.measured_seconds !== null && group.bound_seconds > group.measured_seconds;
  const shapes = [...new Set([base, other].map((s) => `grid ${shape(group.grid[s])}, block ${shape(group.block[s])}`))].join(' / ');
  return (
    <li>
      <p class="lhead"><b>{plural(group.count, 'launch')} from launch {group.first}</b> <span class="fnt">{shapes}</span></p>
      {group.problem.map((text, i) => text && <p class="fw">{letters[i]}: {text}</p>)}
      {group.measured_seconds !== null && <p class="fw">took {time(group.measured_seconds)}{group.bound_seconds !== null && `; its accesses alone take at least ${time(group.bound_seconds)}`}{slow && ': the bound is wrong'}</p>}
      {lines.length + sums.length === 0 && <p class="fw">{group.lines.length > 0 ? 'All counts are equal.' : 'Nothing to compare by line.'}</p>}
      <ul class="lines-of">{lines.slice(0, 200).map((line) => <LineBox line={line} all={all} />)}{lines.length > 200 && <li>and {lines.length - 200} more lines: see --json</li>}</ul>
      {sums.length > 0 && <><p class="lhead">Sums of the whole launch, by the hardware’s counters</p><Counts counts={sums} label="Sums of the whole launch" /></>}
    </li>
  );
}

function KernelBox({ kernel, all, first }: { kernel: Kernel; all: boolean; first: boolean }) {
  const [open, toggle] = useState(first), n = ofKernel(kernel), groups = kernel.groups.filter((g) => both(g) && (all || differences(g) > 0));
  return (
    <li class={open ? 'find open' : 'find'}>
      <h3><button type="button" class="fh" aria-expanded={open} onClick={() => toggle(!open)}>
        <span />
        <span class="fm"><span class="ft"><code>{kernel.name}</code></span><span class="fw">{kernel.launches.map((count, i) => `${letters[i]}: ${plural(count, 'launch')}`).join(', ')}</span></span>
        <span class="fs" />
        <span class="fg">{n === 0 ? 'all equal' : <><b>{human(n)}</b> different</>}</span>
        <span class="chev" aria-hidden="true">›</span>
      </button></h3>
      {open && <ul class="lines-of">{groups.slice(0, 50).map((group) => <GroupBox group={group} all={all} />)}{groups.length === 0 && <li>{kernel.groups.some(both) ? 'All counts are equal.' : 'Only one side has launches of it.'}</li>}{groups.length > 50 && <li>and {groups.length - 50} more: see --json</li>}</ul>}
    </li>
  );
}

function Page() {
  const [shown, choose] = useState<'differences' | 'all'>('differences'), [query, search] = useState(''), [limit, more] = useState(50);
  const words = query.toLowerCase(), reasons = Object.entries(data.different).sort((a, b) => b[1] - a[1]);
  const kernels = data.kernels.filter((k) => (shown === 'all' || ofKernel(k) > 0) && k.name.toLowerCase().includes(words));
  return (
    <>
      <header id="top"><span class="brand">WarpLens<small title={data.sides.map((s) => s.name).join(', ')}>side by side</small></span><span class="grow" />
        <label class="search"><input type="search" placeholder="Search" aria-label="Search kernels" value={query} onInput={(e) => search(e.currentTarget.value.trim())} /></label>
        <button type="button" class="icon" aria-label="Light or dark" onClick={turnTheme}>◐</button></header>
      <main class="page">
        <h1 class="verdict">{counts === 0 ? 'Nothing to compare' : `${human(data.equal)} of ${plural(counts, 'count')} ${counts === 1 ? 'is' : 'are'} equal${different > 0 ? ` (${percent(data.equal / counts)})` : ''}`}</h1>
        <p class="meta">{data.sides.map((side, i) => <span class="mono">{letters[i]}: {side.name} ({how(side)})</span>)}</p>
        <p class="meta"><span>{human(data.launches_equal)} of {plural(data.launches, 'launch')} without a difference</span>{data.sums > 0 && <span>{human(data.sums_equal)} of {human(data.sums)} sums of whole launches equal</span>}</p>
        {data.notes.length > 0 && <section class="gaps" aria-label="Notes"><ul>{data.notes.map((text) => <li>{text}</li>)}</ul></section>}
        {reasons.length > 0 && (
          <section aria-labelledby="reasons"><div class="sh"><h2 id="reasons">Why counts differ</h2></div>
            <div class="scroll" tabIndex={0} role="group" aria-label="Reasons"><table class="changes"><thead><tr><th scope="col" class="r">counts</th><th scope="col">reason</th></tr></thead><tbody>{reasons.map(([name, n]) => <tr><td class="r num">{exact(n)}</td><td>{capital(data.reasons[name] ?? name)}</td></tr>)}</tbody></table></div></section>
        )}
        <section aria-labelledby="kernels">
          <div class="sh"><h2 id="kernels">Kernels</h2><Choice label="Which" value={shown} options={[['differences', 'differences'], ['all', 'all']]} choose={choose} /><p>{letters[other]} against {letters[base]}, as a share of the larger</p></div>
          {kernels.length > 0 ? <ol class="finds">{kernels.slice(0, limit).map((k, i) => <KernelBox key={data.kernels.indexOf(k)} kernel={k} all={shown === 'all'} first={i < 3} />)}</ol> : <p class="none">{data.kernels.some((k) => ofKernel(k) > 0) || words !== '' ? 'No kernel matches.' : 'No kernel differs.'}</p>}
          {kernels.length > limit && <button type="button" class="more" onClick={() => more(limit + 200)}>{kernels.length - limit} more</button>}
        </section>
        <footer class="foot"><p>WarpLens {data.tool.version}. In this file: Preact (MIT, © Jason Miller and others).</p></footer>
      </main>
    </>
  );
}

render(<Page />, document.getElementById('app')!);
