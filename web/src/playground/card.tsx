// One access, drawn: its lanes, what it costs, lane by lane, and what a fix says.
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Picture } from '../data';
import { exact, percent, plural } from '../format';
import { Choice } from '../parts';
import { LanePicture } from '../picture';
import type { Answer, Cost, Segment } from './module';
import { amount, CostBar, one } from './parts';
import type { State } from './state';

export function Card({ title, note, picture, warp, block, unit, of, warps, burst, children }: {
  title: string; note?: ComponentChildren; picture?: Picture; warp?: Cost; block: Cost; unit: string; of: number; warps: number; burst?: boolean; children?: ComponentChildren;
}) {
  return (
    <figure class="card pic">
      <figcaption><b>{title}</b><span>{warp && (unit === 'bytes' ? `${plural(warp[2], burst ? 'burst' : 'transaction')} a warp` : `${exact(warp[0])} ${one(warp[0], unit)} a warp`)}</span></figcaption>
      {note && <p class="sub">{note}</p>}
      {picture ? <LanePicture picture={picture} most={10} absolute /> : <p class="sub">This change is not one of lanes: there is no picture.</p>}
      {children}
      <div class="tb"><CostBar cost={block} of={of} /><b>{percent(block[3])}</b></div>
      <p class="sub num">{warps > 1 ? `all ${warps} warps: ` : ''}{amount(block, unit, burst)}</p>
    </figure>
  );
}

export function Fixes({ a, at, choose }: { a: Answer; at: number; choose: (i: number) => void }) {
  const fix = a.fixes[at];
  return (
    <div class="fixwords">
      {a.fixes.length > 1 && <Choice label="Which change" value={at} options={a.fixes.map((f, i): [number, string] => [i, `${i + 1}. ${f.title}`])} choose={choose} />}
      <p>{fix.cause}</p>
      {fix.change && <p class="change">{fix.change}</p>}
      {fix.example && <pre class="example"><code>{fix.example}</code></pre>}
    </div>
  );
}

const lanesOf = (mask: number) => Array.from({ length: 32 }, (_, lane) => lane).filter((lane) => (mask >>> lane) & 1);
function laneWords(mask: number): string {
  const list = lanesOf(mask), first = list[0], last = list[list.length - 1];
  if (list.length === 1) return `lane ${first}`;
  return last - first + 1 === list.length ? `lanes ${first} to ${last}` : `${list.length} lanes from ${first} to ${last}`;
}
// Of compute capability 1.x, whose transactions differ in size.
export function Segments({ list }: { list?: Segment[] }) {
  if (!list || list.length > 8) return null;
  return <ul class="segments num">{list.map((s) => <li><b>{s.bytes} B</b> at {exact(s.offset)}–{exact(s.offset + s.bytes - 1)}: {laneWords(s.lanes)}</li>)}</ul>;
}

// (threadIdx.x, …) of a lane of the drawn warp.
function threadOf(s: State, lane: number): string {
  const [x, y = 1, z = 1] = s.block.split(/[x,]/).map(Number), t = Number(s.warp) * 32 + lane;
  const all = [t % x, Math.floor(t / x) % y, Math.floor(t / (x * y))];
  return all.slice(0, z > 1 ? 3 : y > 1 ? 2 : 1).join(', ');
}

export function LaneByLane({ a, s, set }: { a: Answer; s: State; set: (lanes: number) => void }) {
  const [playing, play] = useState(false), drawn = Number(s.lanes);
  useEffect(() => {
    if (!playing) return;
    const timer = setTimeout(() => { if (drawn >= 32) play(false); else set(drawn + 1); }, 240);
    return () => clearTimeout(timer);
  }, [playing, drawn]);
  const cost = a.lanes.map((c) => c[a.unit === 'bytes' ? 0 : a.unit === 'passes' ? 2 : 3]), top = Math.max(1, cost[31]), lane = Math.min(31, drawn - 1);
  const words = () => {
    if (drawn >= 32 && !playing) return 'Lane by lane: each bar is what the warp costs with one lane more.';
    if (drawn === 0) return 'No lane yet.';
    const byte = a.instructions?.[0]?.offsets[lane];
    if (byte === null || byte === undefined) return `Lane ${lane} takes no part.`;
    const more = cost[lane] - (lane > 0 ? cost[lane - 1] : 0);
    const costs = more > 0 ? `It costs ${exact(more)} ${one(more, a.unit)} more.` : more < 0 ? `With it ${exact(-more)} bytes fewer move.` : 'It costs nothing more: its bytes are on their way already.';
    return `Lane ${lane}, thread (${threadOf(s, lane)}): byte ${exact(byte)}. ${costs}`;
  };
  return (
    <div class="steps">
      <div class="sbar">
        <button type="button" class="icon" aria-label={playing ? 'Stop' : 'Play lane by lane'} onClick={() => { if (!playing && drawn >= 32) set(0); play(!playing); }}>{playing ? '❚❚' : '▶'}</button>
        <input type="range" min="0" max="32" value={drawn} aria-label="How many lanes" onInput={(e) => { play(false); set(Number(e.currentTarget.value)); }} />
        <svg viewBox="0 0 320 26" preserveAspectRatio="none" aria-hidden="true">
          {cost.map((c, i) => { const height = Math.max(1, (c / top) * 25); return <rect class={i < drawn ? 'u' : 'later'} x={i * 10 + 1} width={8} y={26 - height} height={height} />; })}
        </svg>
      </div>
      <p class="sub num" role="status">{words()}</p>
    </div>
  );
}
