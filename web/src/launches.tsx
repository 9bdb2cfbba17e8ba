// How a kernel's counts change from launch to launch: a bar per launch, or per group of neighbouring ones where there are many.
import { Kernel } from './data';
import { bytes, exact, human } from './format';

interface Point { moved: number; waste: number; first: number; launches: number; grid: string }

const most = 240; // bars

function pointsOf(kernel: Kernel, shared: boolean): Point[] {
  const all: { process: number; index: number; run: number }[] = [];
  kernel.runs.forEach((run, r) => {
    for (const [process, first, times, step] of run[5])
      for (let i = 0; i < times && all.length < 300000; ++i) all.push({ process, index: first + i * step, run: r });
  });
  all.sort((p, q) => p.process - q.process || p.index - q.index);
  const size = Math.ceil(all.length / most) || 1, out: Point[] = [];
  for (let i = 0; i < all.length; i += size) {
    const group = all.slice(i, i + size).map((one) => kernel.runs[one.run]);
    const worst = group.reduce((p, q) => (q[shared ? 2 : 0] > p[shared ? 2 : 0] ? q : p));
    out.push({ moved: worst[shared ? 2 : 0], waste: worst[shared ? 3 : 1], first: all[i].index, launches: group.length, grid: worst[4] });
  }
  return out;
}

export const varies = (kernel: Kernel) => {
  const [first] = kernel.runs;
  return kernel.runs.some((run) => run[0] !== first[0] || run[1] !== first[1] || run[2] !== first[2] || run[3] !== first[3]);
};

export function Launches({ kernel }: { kernel: Kernel }) {
  const shared = kernel.runs.every((run) => run[0] === 0);
  const points = pointsOf(kernel, shared), W = 640, H = 76;
  const top = Math.max(...points.map((p) => p.moved), 1), step = W / points.length, width = Math.max(1, step - (step > 4 ? 1.5 : 0));
  const amount = (n: number) => (shared ? `${human(n)} wavefronts` : bytes(n));
  const least = Math.min(...points.map((p) => p.moved)), grouped = points[0]?.launches > 1;
  return (
    <figure class="plot">
      <figcaption>
        <code>{kernel.label}</code>
        <span>{human(kernel.launches)} launches, {amount(least)} to {amount(top)}{grouped ? `; each bar is the largest of ${points[0].launches}` : ''}</span>
      </figcaption>
      <svg viewBox={`0 0 ${W} ${H}`} preserveAspectRatio="none" role="img" aria-label={`${kernel.label}: ${human(kernel.launches)} launches that move ${amount(least)} to ${amount(top)}`}>
        {points.map((p, i) => {
          const height = (p.moved / top) * H, waste = (p.waste / top) * H;
          return (
            <g>
              <title>{`launch ${exact(p.first)}${grouped ? ' and on' : ''}, grid ${p.grid}: ${amount(p.moved)}, ${amount(p.waste)} for nothing`}</title>
              <rect class="hit" x={i * step} y={0} width={step} height={H} />
              <rect class="u" x={i * step} y={H - height + waste} width={width} height={height - waste} />
              <rect class="hw" x={i * step} y={H - height} width={width} height={waste} />
            </g>
          );
        })}
      </svg>
    </figure>
  );
}
