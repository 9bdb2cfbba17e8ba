// What a report holds, as src/html/report_data.cpp writes it. Texts, pictures and files are tables that the rest refers into
// by number, so that thousands of accesses stay small.

export type Text = number; // index in `texts`
export type Counts = (number | null)[]; // in the order of `counts`; null where a count has no meaning
export type Cost = [actual: number, ideal: number, unit: Text]; // per request; shared and constant memory: per instruction

// Of each row: its label, bytes asked for, bytes that travel, which groups of cells travel (a mask), and runs of cells, four
// numbers each: first cell, how many, the lanes of the first (a mask), and 1 where each next cell is the next lane's.
export type PictureRow = [label: number, used: number, moved: number, groups: number, runs: number[]];
export interface Picture {
  kind: 'sectors' | 'passes' | 'banks' | 'words';
  active: number; // mask of lanes
  cell: number; // bytes of a cell
  group: number; // cells of a group (a sector)
  cells: number; // cells of a row
  rows: PictureRow[];
}
export type PictureRef = number[] | null; // one for each device, or one for all

export type WarpClass = [warps: number, actual: number, ideal: number, text?: Text, picture?: PictureRef];

// Of the metric. None where it is not known, or nothing is to be gained.
export type Effect = [before: number, after: number];

export interface Fix {
  rule: Text; title: Text; cause: Text; change: Text; sure: Text; metric: Text;
  effect: (Effect | null)[]; // by device
  example?: Text;
  wait?: number; // cycles that atomics wait for one another
  itself?: number; // of the metric, what the assembler leaves by itself
  pic?: PictureRef;
}

// What `check` knows: for all launches (fine, costly), under a condition (conditional), of some (possible), or not at all.
export type Standing = 'fine' | 'conditional' | 'costly' | 'possible' | 'undecided';
export interface Judged {
  standing: Standing; verdict: Text; needed: number;
  bounds: [least: number, most: number][]; // by device: what a warp pays
  wide: boolean; // drawn with a wide stride: the code's is not a known number
  if?: Text[]; // what makes it fine
  notes?: Text[];
}

export interface Access {
  k: number; f: number; l: number; // kernel, file (-1: none), line
  fn?: Text;
  via?: [number, number][]; // calls that were inlined on the way here, outermost first: file, line
  what: Text; op: Text; space: Text; ptx: Text; pattern: Text;
  array?: Text;
  sites?: number; // PTX instructions, where more than one
  timing?: Text;
  cost: Cost[]; // by device
  n: Counts[]; // by device
  classes: WarpClass[]; // on the first device
  other?: number; // warps beyond them
  fixes: Fix[];
  judged?: Judged; // of check; the counts are then those of one warp
}

export interface Kernel {
  label: string; name: string; module: string; status: string; block: string;
  launches: number; share: number; moved: number; excess: number; cycles: number; shared: number; timing: number;
  grids: [string, number][];
  reasons: [string, number][];
  spills?: [number, number, number];
  spaces: Record<string, Counts[]>;
  limit: { bound: string; part: string; stages: [string, number][] } | null;
  // Launches that differ: bytes moved, for nothing, wavefronts, for nothing, grid, and when: process, first, count, step.
  runs: [number, number, number, number, string, [number, number, number, number][]][];
  idle: [number, number, Text][]; // accesses that never ran: file, line, what
}

export interface Finding {
  share: number; bytes: number; cycles: number; wait: number;
  places: string; kernels: string[]; arrays: string[];
  cost: Cost; n: Counts;
  predicted?: [metric: Text, before: number, after: number];
  fix?: number; // of the first access's fixes
  accesses: number[];
}

export interface SourceFile {
  name: string;
  text?: string;
  lines?: [number, string][]; // where the whole text is not at hand
  note?: string;
}

export interface Message {
  severity: string; place: string; text: string; times: number;
  source?: string; notes?: string[]; help?: string;
}

export interface Device { sm: string; name: string; generation: string; sector_cycles: number; pass_cycles: number }

export interface Data {
  version: string; title: string; counts: string[];
  run: {
    of: 'run' | 'replay' | 'explain' | 'check';
    command: string[]; exit: number; signal: number; complete: boolean; launches: number; lines: boolean; spills: boolean;
    excess_bytes: number; moved_bytes: number; excess_cycles: number; counted: string[]; devices: Device[];
  };
  totals: Record<string, Counts[]>;
  gaps: [string, string][];
  messages: Message[];
  kernels: Kernel[]; findings: Finding[]; accesses: Access[]; files: SourceFile[]; pictures: Picture[]; texts: string[];
}

export const data: Data = JSON.parse(document.getElementById('data')!.textContent!);

// What is the same under several devices is in the file once; the others give the number of the first.
function unfold<T>(byDevice: (T | number)[]): void {
  byDevice.forEach((one, i) => { if (typeof one === 'number') byDevice[i] = byDevice[one]; });
}
for (const a of data.accesses) unfold(a.cost), unfold(a.n);
for (const spaces of [data.totals, ...data.kernels.map((k) => k.spaces)]) for (const by of Object.values(spaces)) unfold(by);

const place = new Map(data.counts.map((name, i) => [name, i]));
export const count = (counts: Counts | undefined, name: string): number => counts?.[place.get(name)!] ?? 0;
export const text = (t: Text | undefined): string => (t === undefined ? '' : data.texts[t]);
export const hasText = (t: Text | undefined): boolean => t !== undefined && data.texts[t] !== '';
export const pictureOf = (ref: PictureRef | undefined, device: number): Picture | null =>
  ref && ref.length ? data.pictures[ref[Math.min(device, ref.length - 1)]] : null;

export const effectOf = (fix: Fix | undefined, device: number): Effect | null => fix?.effect[device] ?? null;
export const checked = data.run.of === 'check';

export const fileName = (f: number): string => (f < 0 ? '' : data.files[f].name);
export const placeOf = (a: Access): string => (a.f < 0 ? text(a.fn) || 'unknown place' : `${fileName(a.f)}:${a.l}`);
export const callsOf = (a: Access): string => (a.via ?? []).map(([f, l]) => `${fileName(f)}:${l}`).join(' → ');

const lineCache = new Map<number, string[]>();
// Lines of a file, from index 0 on; those that are not at hand are empty.
export function linesOf(f: number): string[] {
  let lines = lineCache.get(f);
  if (!lines) {
    const file = data.files[f];
    if (file.text !== undefined) lines = file.text.split(/\r?\n/);
    else {
      lines = [];
      for (const [n, line] of file.lines ?? []) lines[n - 1] = line;
    }
    lineCache.set(f, lines);
  }
  return lines;
}
