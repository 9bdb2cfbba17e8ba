// How much each warp cost: bars over all warps, those that cost what would do in blue.
import { Access, text, WarpClass } from './data';
import { exact, human, one, per, percent } from './format';

interface Bin { cost: number; warps: number; fine: number }

function binsOf(classes: WarpClass[]): Bin[] {
  const bins = new Map<number, Bin>();
  for (const [warps, actual, ideal] of classes) {
    const cost = Math.round(actual * 100) / 100;
    const bin = bins.get(cost) ?? { cost, warps: 0, fine: 0 };
    bin.warps += warps;
    if (actual <= ideal * 1.0001) bin.fine += warps;
    bins.set(cost, bin);
  }
  return [...bins.values()].sort((p, q) => p.cost - q.cost);
}

export function Histogram({ a }: { a: Access }) {
  const bins = binsOf(a.classes);
  if (!bins.length) return null;
  const unit = text(a.cost[0][2]), all = bins.reduce((sum, bin) => sum + bin.warps, 0) + (a.other ?? 0);
  if (bins.length === 1 && !a.other)
    return <p>All {human(all)} warps alike: {per(bins[0].cost)} {one(bins[0].cost, unit)} each.</p>;
  const W = 460, H = 92, top = Math.max(...bins.map((bin) => bin.cost), 1), most = Math.max(...bins.map((bin) => bin.warps));
  const wide = top > 64; // bytes of segments, or many requests: then bars have a width of their own
  const step = W / (top + 1), width = Math.max(4, wide ? 6 : step - 2), x = (cost: number) => cost * step + step / 2;
  const every = [1, 2, 4, 5, 8, 10, 16, 20, 32].find((n) => top / n <= 8) ?? Math.ceil(top / 6), ticks: number[] = [];
  for (let v = 0; v <= top; v += every) ticks.push(v);
  const words = bins.map((bin) => `${human(bin.warps)} warps with ${per(bin.cost)}`).join(', ');
  return (
    <figure class="pic">
      <svg viewBox={`0 0 ${W} ${H + 18}`} role="img" aria-label={`${unit} per warp: ${words}`}>
        <line class="ax" x1={0} x2={W} y1={H} y2={H} />
        {bins.map((bin) => {
          const height = Math.max(2, (bin.warps / most) * (H - 16));
          return (
            <g>
              <title>{`${exact(bin.warps)} warps (${percent(bin.warps / all)}) with ${per(bin.cost)} ${unit}`}</title>
              <rect class={bin.fine === bin.warps ? 'hu' : 'hw'} x={x(bin.cost) - width / 2} y={H - height} width={width} height={height} rx={2} />
              {(bins.length <= 8 || bin.warps === most) && (
                <text x={Math.min(W - 16, Math.max(16, x(bin.cost)))} y={H - height - 4} text-anchor="middle">{percent(bin.warps / all)}</text>
              )}
            </g>
          );
        })}
        {ticks.map((v) => <text x={Math.min(W - 10, Math.max(6, x(v)))} y={H + 14} text-anchor="middle">{human(v)}</text>)}
      </svg>
      <figcaption>
        <span>{unit} per warp; blue: as few as would do</span>
        <span>{human(all)} warps{a.other ? `, ${human(a.other)} of them not drawn` : ''}</span>
      </figcaption>
    </figure>
  );
}
