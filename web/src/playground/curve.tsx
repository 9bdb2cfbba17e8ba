// What an access costs as one number goes up: on the chosen compute capability, and small on others.
import { useRef } from 'preact/hooks';
import { per, percent } from '../format';
import type { Cost, Curve } from './module';
import { capability } from './parts';

// Of one instruction of a warp.
const paid = (p: Cost | null) => (p ? p[0] / Math.max(1, p[4] ?? 1) : 0);
const least = (p: Cost | null) => (p ? Math.min(p[0], p[1]) / Math.max(1, p[4] ?? 1) : 0);

export function Plot({ curve, sm, at, choose, name }: { curve: Curve; sm: number; at: number; choose: (x: number) => void; name: string }) {
  const down = useRef(false), box = useRef<SVGSVGElement>(null);
  const row = curve.rows.find((r) => r.sm === sm) ?? curve.rows[0], W = 760, H = 150, L = 44, B = 18, n = curve.x.length, step = (W - L) / n;
  if (!row) return null;
  const top = Math.max(1, ...row.points.map(paid)), y = (value: number) => H - (value / top) * (H - 8);
  const pick = (e: PointerEvent) => {
    const r = box.current!.getBoundingClientRect(), i = Math.floor((((e.clientX - r.left) / r.width) * W - L) / step);
    choose(curve.x[Math.max(0, Math.min(n - 1, i))]);
  };
  const every = [1, 2, 4, 8, 16, 32, 64].find((t) => n / t <= (innerWidth < 700 ? 9 : 17)) ?? 64;
  const words = (p: Cost | null) => (p ? `${per(paid(p))} ${curve.unit} per instruction of a warp, ${per(least(p))} ${curve.unit === 'bytes' ? 'asked for' : 'would do'} (${percent(p[3])})` : 'cannot run');
  return (
    <svg ref={box} class="curve" viewBox={`0 0 ${W} ${H + B}`} role="img" aria-label={`${curve.unit} per instruction of a warp by ${name}; at ${at}: ${words(row.points[curve.x.indexOf(at)] ?? null)}`}
      onPointerDown={(e) => { down.current = true; e.currentTarget.setPointerCapture(e.pointerId); pick(e); }}
      onPointerMove={(e) => down.current && pick(e)} onPointerUp={() => { down.current = false; }}>
      {[0, 0.5, 1].map((f) => <><line class="ax" x1={L} x2={W} y1={y(top * f)} y2={y(top * f)} /><text class="lab" x={L - 6} y={y(top * f) + 4}>{per(top * f)}</text></>)}
      {row.points.map((p, i) => {
        const x = L + i * step, here = curve.x[i] === at, bar = { x: x + step * 0.1, width: step * 0.8 };
        return (
          <g>
            {here && <rect class="here" x={x} y={0} width={step} height={H + B} />}
            {p ? <><rect class="hw" {...bar} y={y(paid(p))} height={y(least(p)) - y(paid(p))} /><rect class="u" {...bar} y={y(least(p))} height={H - y(least(p))} /></>
              : <text x={x + step / 2} y={H - 4} text-anchor="middle">×</text>}
            {(here || (curve.x[i] % every === 0 && Math.abs(curve.x[i] - at) >= every / 2)) && <text x={x + step / 2} y={H + 13} text-anchor="middle" class={here ? 'now' : ''}>{curve.x[i]}</text>}
            <title>{`${name} = ${curve.x[i]}: ${words(p)}`}</title>
          </g>
        );
      })}
    </svg>
  );
}

// On others; those that answer alike are one.
export function Small({ curve, sm, choose }: { curve: Curve; sm: number; choose: (sm: number) => void }) {
  const kinds: { sms: number[]; points: (Cost | null)[] }[] = [];
  for (const row of curve.rows) {
    const same = kinds.find((kind) => JSON.stringify(kind.points) === JSON.stringify(row.points));
    if (same) same.sms.push(row.sm);
    else kinds.push({ sms: [row.sm], points: row.points });
  }
  const top = Math.max(1, ...kinds.flatMap((kind) => kind.points.map(paid))), H = 44, W = 160, height = (value: number) => (value / top) * H;
  return (
    <div class="small">
      {kinds.map(({ sms, points }) => {
        const step = W / points.length, names = sms.map(capability).join(', ');
        return (
          <button type="button" aria-pressed={sms.includes(sm)} aria-label={`compute capability ${names}`} onClick={() => choose(sms.includes(sm) ? sm : sms[sms.length - 1])}>
            <svg viewBox={`0 0 ${W} ${H}`} preserveAspectRatio="none" aria-hidden="true">{points.map((p, i) => p && <>
              <rect class="hw" x={i * step} width={step * 0.9} y={H - height(paid(p))} height={height(paid(p) - least(p))} />
              <rect class="u" x={i * step} width={step * 0.9} y={H - height(least(p))} height={height(least(p))} />
            </>)}</svg>
            <span>{names}</span>
          </button>
        );
      })}
    </div>
  );
}
