// The report under one device: what the views share. All of it is sums and orders of what the data say.
import { Access, checked, Cost, count, data, effectOf, Effect, Finding, Kernel, Standing, text } from './data';

export interface Seen {
  id: number;
  a: Access;
  cycles: number; // for nothing
  share: number; // of the program's
  moved: number; // bytes; shared memory: wavefronts
  waste: number; // likewise
}
export type Lane = 'device' | 'shared' | 'constant'; // how spaces are drawn: three kinds of cost
export const laneOf = (space: string): Lane =>
  space === 'shared' ? 'shared' : space === 'constant' ? 'constant' : 'device';
export const spacesOf = (lane: Lane) => (lane === 'device' ? 'L1 traffic' : `${lane} memory`);
export const unitOf = (lane: Lane) => (lane === 'device' ? 'bytes' : lane === 'shared' ? 'wavefronts' : 'requests');

export interface SourceLine {
  f: number; l: number;
  accesses: Seen[]; // worst first
  inlined: Seen[]; // in code that was inlined here
  cycles: number; share: number;
}
export interface Filter { space: string; kernel: number; query: string; wasteful: boolean }
export const everything: Filter = { space: '', kernel: -1, query: '', wasteful: false };

export interface View {
  device: number;
  accesses: Seen[];
  kernels: { id: number; k: Kernel; cycles: number; share: number; sums: Record<Lane, [moved: number, waste: number]> }[];
  cycles: number;
  totals: Record<Lane, [moved: number, waste: number]>;
}

// What an access, or a sum of them, moved and moved for nothing, in the unit of its space.
function amounts(n: (number | null)[], space: string): [number, number] {
  if (space === 'shared') {
    const waves = count(n, 'wavefronts');
    return [waves, Math.max(0, waves - count(n, 'ideal_wavefronts'))];
  }
  if (space === 'constant') {
    const requests = count(n, 'requests');
    return [requests, Math.max(0, requests - count(n, 'instructions'))];
  }
  return [count(n, 'moved_bytes'), count(n, 'excess_bytes')];
}
function sums(spaces: Record<string, (number | null)[][]>, device: number): Record<Lane, [number, number]> {
  const out: Record<Lane, [number, number]> = { device: [0, 0], shared: [0, 0], constant: [0, 0] };
  for (const [space, by] of Object.entries(spaces)) {
    const [moved, waste] = amounts(by[device] ?? by[0], space), to = out[laneOf(space)];
    to[0] += moved, to[1] += waste;
  }
  return out;
}

const views = new Map<number, View>();
export function viewOf(device: number): View {
  let view = views.get(device);
  if (view) return view;
  const accesses = data.accesses.map((a, id): Seen => {
    const n = a.n[device] ?? a.n[0], [moved, waste] = amounts(n, text(a.space));
    return { id, a, cycles: a.timing === undefined ? count(n, 'excess_cycles') : 0, share: 0, moved, waste };
  });
  let cycles = 0;
  const byKernel = new Array(data.kernels.length).fill(0);
  for (const x of accesses) (cycles += x.cycles), (byKernel[x.a.k] += x.cycles);
  for (const x of accesses) x.share = cycles ? x.cycles / cycles : 0;
  const kernels = data.kernels.map((k, id) => (
    { id, k, cycles: byKernel[id], share: cycles ? byKernel[id] / cycles : 0, sums: sums(k.spaces, device) }));
  view = { device, accesses, kernels, cycles, totals: sums(data.totals, device) };
  views.set(device, view);
  return view;
}

export function passes(x: Seen, filter: Filter): boolean {
  const { a } = x;
  if (filter.space && text(a.space) !== filter.space) return false;
  if (filter.kernel >= 0 && a.k !== filter.kernel) return false;
  if (filter.wasteful && !x.waste) return false;
  return true;
}

// Lines with accesses, or with calls of inlined code that has some, by "file:line".
export function linesWith(view: View, filter: Filter): Map<string, SourceLine> {
  const out = new Map<string, SourceLine>();
  const at = (f: number, l: number) => {
    const key = `${f}:${l}`;
    let line = out.get(key);
    if (!line) out.set(key, (line = { f, l, accesses: [], inlined: [], cycles: 0, share: 0 }));
    return line;
  };
  for (const x of view.accesses) {
    if (x.a.f < 0 || !passes(x, filter)) continue;
    const line = at(x.a.f, x.a.l);
    line.accesses.push(x), (line.cycles += x.cycles), (line.share += x.share);
    for (const [f, l] of x.a.via ?? []) at(f, l).inlined.push(x);
  }
  const worst = (p: Seen, q: Seen) => q.cycles - p.cycles || q.waste - p.waste || q.moved - p.moved;
  for (const line of out.values()) line.accesses.sort(worst), line.inlined.sort(worst);
  return out;
}

export interface SeenFinding {
  f: Finding;
  share: number;
  waste: number; // in the unit of its space
  cost: Cost;
  effect: Effect | null; // of the first access's fix, over all accesses of the finding
}

const metricOf = (a: Access, device: number, metric: string) => count(a.n[device] ?? a.n[0], metric);

// What the fix makes of all accesses of the finding; those that it is not given for stay.
function effectOn(f: Finding, device: number): Effect | null {
  const main = fixOf(f);
  if (device === 0) return f.predicted ? [f.predicted[1], f.predicted[2]] : null;
  if (!main || !f.predicted || !effectOf(main, device)) return null;
  const metric = text(f.predicted[0]), sum: Effect = [0, 0];
  for (const id of f.accesses) {
    const a = data.accesses[id], own = a.fixes.find((fix) => fix.rule === main.rule && fix.metric === main.metric);
    const now = metricOf(a, device, metric), [before, after] = effectOf(own, device) ?? [now, now];
    sum[0] += before, sum[1] += after;
  }
  return sum;
}

// The findings as they are under the device, worst first.
const seenFindings = new Map<number, SeenFinding[]>();
export function findingsOf(view: View): SeenFinding[] {
  const { device } = view, known = seenFindings.get(device);
  if (known) return known;
  const all = data.findings.map((f): SeenFinding => {
    const own = f.accesses.map((id) => view.accesses[id]), shared = ['shared', 'constant'].includes(text(own[0].a.space));
    const times = (a: Access) => metricOf(a, device, shared ? 'instructions' : 'requests');
    const sum = (part: (x: Seen) => number) => own.reduce((all, x) => all + part(x), 0), n = sum((x) => times(x.a)) || 1;
    const unit = own[0].a.cost[device][2], each = (i: 0 | 1) => sum((x) => x.a.cost[device][i] * times(x.a)) / n;
    return {
      f, share: device === 0 ? f.share : sum((x) => x.share), waste: sum((x) => x.waste),
      cost: device === 0 ? f.cost : [each(0), each(1), unit], effect: effectOn(f, device),
    };
  });
  if (device > 0) all.sort((p, q) => q.share - p.share);
  seenFindings.set(device, all);
  return all;
}

export const standings: [Standing, string][] = [
  ['costly', 'cost more than they need'], ['possible', 'may cost more'], ['undecided', 'not decided'],
  ['conditional', 'fine under a condition'], ['fine', 'fine'],
];
// What a warp pays by check, in words.
export const standingOf = (a: Access, device: number): Standing => {
  const { standing, bounds, needed } = a.judged!;
  return device === 0 || standing === 'undecided' || !bounds[device] ? standing
    : bounds[device][1] <= needed ? 'fine' : standing;
};
export const howMany = (view: View, kernel = -1) => {
  const out: Record<Standing, number> = { fine: 0, conditional: 0, costly: 0, possible: 0, undecided: 0 };
  if (checked) for (const x of view.accesses) if (kernel < 0 || x.a.k === kernel) ++out[standingOf(x.a, view.device)];
  return out;
};

export const hrefOf = (a: Access, id: number) => (a.f < 0 ? `#access/${id}` : `#source/${a.f}/${a.l}/${id}`);
export const firstOf = (f: Finding) => data.accesses[f.accesses[0]];
export const fixOf = (f: Finding) => (f.fix === undefined ? undefined : firstOf(f).fixes[f.fix]);
export const spaces = [...new Set(data.accesses.map((a) => text(a.space)))];
