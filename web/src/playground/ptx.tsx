// Pasted PTX: what `warplens check` says of each access, for all launches. The samples are made of examples/ by
// `nvcc -ptx -lineinfo -arch=sm_90`, and show their source lines.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { ask, type Judged } from './module';
import { Field, ProblemBox } from './parts';
import aosSoa from './samples/aos_soa.ptx';
import reduction from './samples/reduction.ptx';
import transpose from './samples/transpose.ptx';
import aosSoaSource from '../../../examples/aos_soa.cu';
import reductionSource from '../../../examples/reduction.cu';
import transposeSource from '../../../examples/transpose.cu';
import type { State } from './state';

const samples = [
  { name: 'transpose', ptx: transpose, source: transposeSource.split('\n') },
  { name: 'structures and arrays', ptx: aosSoa, source: aosSoaSource.split('\n') },
  { name: 'reduction', ptx: reduction, source: reductionSource.split('\n') },
];

export function Ptx({ s }: { s: State }) {
  const [text, setText] = useState(samples[0].ptx), [settled, settle] = useState(text), [block, setBlock] = useState('');
  useEffect(() => { const timer = setTimeout(() => settle(text), 150); return () => clearTimeout(timer); }, [text]);
  const judged = useMemo(() => ask<Judged>({ do: 'check', ptx: settled, block, sm: s.sm }), [settled, block, s.sm]);
  const sample = samples.find(({ ptx }) => ptx === settled);
  const kernels = [...new Set((judged.accesses ?? []).map((a) => a.kernel))];
  return (
    <div class="work solo">
      <h1 class="verdict">A kernel's PTX, judged for all launches</h1>
      <p class="lead">Paste what <code>nvcc -ptx -lineinfo</code> wrote, or a compiler such as Triton or Numba. It stays in this page.</p>
      <p class="pills">{samples.map((one) => <button type="button" class="both" aria-pressed={one === sample} onClick={() => { setText(one.ptx); settle(one.ptx); }}>{one.name}</button>)}
        <button type="button" class="both" onClick={() => { setText(''); settle(''); }}>your own</button></p>
      <div class="ptx">
        <textarea spellcheck={false} value={text} onInput={(e) => setText(e.currentTarget.value)} aria-label="PTX" />
        <div>
          <Field label="block, if it is known: 32,8" value={block} width="120px" set={setBlock} hint="threads of a block: x, y, z; empty: any" />
          {judged.error ? <ProblemBox problem={judged.error} /> : kernels.length === 0 ? <p class="say">There is no memory access in it.</p> : kernels.map((kernel) => <>
            <h2 class="kernel"><code>{kernel}</code></h2>
            <ol class="judgements">{judged.accesses.filter((a) => a.kernel === kernel).map((a) => (
              <li class={a.fine ? 'ok' : a.known ? 'bad' : 'open'}>
                <p><b>{a.verdict.replace(/-/g, ' ')}</b>{a.conditional && a.fine && ' under a condition'}: {a.what} <span class="sub">{a.line ? `line ${a.line}, ` : ''}PTX line {a.ptx_line}</span></p>
                {sample && a.line > 0 && <pre class="line"><code>{sample.source[a.line - 1]?.trim()}</code></pre>}
                <p class="sub"><code>{a.instruction}</code>{a.pattern && `, ${a.pattern}`}; {a.cost} a warp{a.needed ? `, ${a.needed} would do` : ''}</p>
                {a.conditions.map((condition) => <p class="sub">fine if <code>{condition}</code></p>)}
                {a.reasons.map((reason) => <p class="sub">not known better: {reason}</p>)}
                {a.change && <p class="sub change">Change: {a.change}</p>}
              </li>
            ))}</ol>
          </>)}
        </div>
      </div>
    </div>
  );
}
