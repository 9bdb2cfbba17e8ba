// Small parts of the playground.
import type { ComponentChildren } from 'preact';
import { exact, one as single, plural } from '../format';
import { Bar } from '../parts';
import type { Cost, Problem } from './module';

export const one = (n: number, unit: string) => (unit === 'passes' && n === 1 ? 'pass' : single(n, unit));
export const capability = (sm: number) => `${Math.floor(sm / 10)}.${sm % 10}`;
export const Sign = ({ fine }: { fine: boolean }) => <span class={fine ? 'mark fine' : 'mark'} aria-hidden="true">{fine ? '✓' : '✗'}</span>;
export const CostBar = ({ cost, of }: { cost: Cost; of: number }) => <Bar moved={cost[0]} waste={Math.max(0, cost[0] - cost[1])} of={of} />;

export function Field({ label, value, set, width, list, hint }: {
  label: string; value: string; set: (value: string) => void; width?: string; list?: string[]; hint?: string;
}) {
  return (
    <label class="field" title={hint}><span>{label}</span>
      {list
        ? <select value={value} onChange={(e) => set(e.currentTarget.value)}>{list.map((o) => <option value={o} selected={o === value}>{o || 'default'}</option>)}</select>
        : <input style={{ width }} value={value} spellcheck={false} autocapitalize="off" autocomplete="off" onInput={(e) => set(e.currentTarget.value)} />}
    </label>
  );
}

export function amount(cost: Cost, unit: string, burst = false): ComponentChildren {
  const [paid, least, transactions] = cost;
  if (unit === 'bytes') return <><b>{plural(transactions, burst ? 'burst' : 'transaction')}</b> = {exact(paid)} B moved, {exact(least)} asked for</>;
  return <><b>{exact(paid)} {one(paid, unit)}</b>{paid > least ? `, ${exact(least)} would do` : ''}</>;
}

export function ProblemBox({ problem }: { problem: Problem }) {
  const { text, column = 0, length = 0 } = problem, from = column - 1, to = from + Math.max(1, length);
  return (
    <div class="problem" role="status">
      <p><b>{problem.message}</b>{problem.what === 'PTX' && problem.line ? ` (line ${problem.line})` : ''}</p>
      {text && column > 0 && <pre><code>{text.slice(0, from)}<mark>{text.slice(from, to) || ' '}</mark>{text.slice(to)}</code></pre>}
      {problem.notes?.map((note) => <p>{note}</p>)}
      {problem.help && <p>{problem.help}</p>}
    </div>
  );
}
