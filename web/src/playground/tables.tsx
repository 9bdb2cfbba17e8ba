// The same block on every compute capability; a type byte by byte; arrays in one allocation.
import { exact, per, percent, plural } from '../format';
import { ask, type Answer, type Cost, type Gpu, type Pool, type Type } from './module';
import { capability, CostBar, one, ProblemBox, Sign } from './parts';
import type { State } from './state';

export function Everywhere({ a, gpus, sm, choose }: { a: Answer; gpus: Gpu[]; sm: number; choose: (sm: number) => void }) {
  const kinds: { sms: number[]; cost: Cost }[] = []; // neighbours that answer alike are one row
  for (const row of a.all) {
    const last = kinds[kinds.length - 1];
    if (last && JSON.stringify(last.cost) === JSON.stringify(row.cost)) last.sms.push(row.sm);
    else kinds.push({ sms: [row.sm], cost: row.cost });
  }
  const top = Math.max(...kinds.flatMap(({ cost }) => [cost[0], cost[1]]));
  return (
    <div class="every">
      {kinds.map(({ sms, cost }) => (
        <div class={sms.includes(sm) ? 'erow now' : 'erow'}>
          <span class="ccs">{sms.map((one) => <button type="button" aria-pressed={one === sm} title={gpus.find((g) => g.sm === one)?.generation} onClick={() => choose(one)}>{capability(one)}</button>)}</span>
          <CostBar cost={cost} of={top} />
          <span class="num">{a.unit === 'bytes' ? <>{exact(cost[2])} × {per(cost[0] / Math.max(1, cost[2]))} B</> : <>{exact(cost[0])} {one(cost[0], a.unit)}</>}</span>
          <b class="num">{percent(cost[3])}</b>
        </div>
      ))}
    </div>
  );
}

const shades = ['#2e4e9e', '#2666b6', '#2b7bb0', '#1f7a86', '#2f7d63'];
export function TypeStrip({ t }: { t: Type }) {
  const most = 64, shown = Math.min(most, t.size), cell = Math.min(26, 620 / shown), padding = t.size - t.fields.reduce((sum, f) => sum + f.bytes, 0);
  return (
    <figure class="pic">
      <figcaption><span>{t.struct ? 'the structure' : t.name}: {plural(t.size, 'byte')}, aligned to {t.align}{padding > 0 ? `; ${plural(padding, 'byte')} of padding` : ''}</span><span>{plural(t.pieces.length, 'instruction')}</span></figcaption>
      <svg viewBox={`0 0 ${shown * cell + 2} 66`} role="img" aria-label={t.fields.map((f) => `${f.name} at ${f.offset}`).join(', ')}>
        <rect class="unused" x={1} y={14} width={shown * cell} height={22} rx={3} />
        {t.fields.filter((f) => f.offset < most).map((f, i) => {
          const width = Math.min(f.bytes, most - f.offset) * cell, x = 1 + f.offset * cell;
          return (
            <g><title>{`${f.type} ${f.name}: bytes ${f.offset} to ${f.offset + f.bytes - 1}`}</title>
              <rect x={x + 0.5} y={14} width={width - 1} height={22} rx={3} fill={shades[i % shades.length]} />
              <text class="ct big" x={x + width / 2} y={29}>{f.name}</text><text x={x} y={10}>{f.offset}</text></g>
          );
        })}
        {t.pieces.filter((p) => p.offset < most).map((p) => <g><path class="brace" d={`M${1 + p.offset * cell + 2} 42 v6 h${p.bytes * cell - 4} v-6`} /><text x={1 + (p.offset + p.bytes / 2) * cell} y={60} text-anchor="middle">{p.bytes} B</text></g>)}
      </svg>
    </figure>
  );
}

export function Arrays({ s, change }: { s: State; change: (d: Partial<State>) => void }) {
  const p = ask<Pool>({ do: 'pool', pool: s.pool, sm: s.sm }), fit = !p.error && p.arrays.every((a) => a.fits);
  return (
    <div class="work solo">
      <h1 class="verdict">Several arrays in one allocation</h1>
      <p class="lead">Each array begins where the one before it ends. Is its start right for its type?</p>
      <div class="askbox"><label class="field wide"><span>declarations, in order</span><input value={s.pool} spellcheck={false} onInput={(e) => change({ pool: e.currentTarget.value })} /></label></div>
      {p.error ? <ProblemBox problem={p.error} /> : <>
        <p class={fit ? 'say fine' : 'say'} role="status"><Sign fine={fit} />{fit ? 'Every array starts where its type needs.' : 'An array that is not aligned to its type stops the kernel, or is read wrong.'}</p>
        <div class="scroll" tabIndex={0} role="group" aria-label="Table of arrays"><table class="arch pool">
          <thead><tr><th>array</th><th>type</th><th class="r">bytes</th><th class="r">starts at</th><th class="r">needs a multiple of</th><th>so</th></tr></thead>
          <tbody>{p.arrays.map((a) => (
            <tr><th scope="row"><code>{a.name}</code></th><td>{a.type}</td><td class="r num">{exact(a.bytes)}</td><td class="r num">{exact(a.offset)}</td><td class="r num">{a.alignment}</td>
              <td class={a.fits ? '' : 'warn'}>{a.fits ? '✓' : `✗ start it at ${a.aligned_offset}`}</td></tr>))}</tbody></table></div>
        <p class="sub">{exact(p.bytes)} bytes as they are; {exact(p.aligned_bytes)} with every array at a multiple of 128, which suits every type.</p>
      </>}
    </div>
  );
}
