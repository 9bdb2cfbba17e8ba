// WarpLens' own C++, compiled to WebAssembly: one question as JSON in, one answer as JSON out. What may be asked, and what comes
// back, is described in src/output/playground/answer.h.
import type { Picture } from '../data';

export type Cost = [paid: number, least: number, transactions: number, efficiency: number, instructions?: number];
export interface Problem {
  kind?: string; message: string; help?: string; notes?: string[];
  what?: string; text?: string; line?: number; column?: number; length?: number;
}
interface Answered { error?: Problem }
export interface Fix {
  title: string; cause: string; change: string; example: string; metric: string; before: number; after: number;
  optional: boolean; gain: number; before_cost: Cost; after_cost: Cost; picture?: Picture; warp_cost?: Cost;
}
export interface Segment { offset: number; bytes: number; lanes: number }
export interface Answer extends Answered {
  unit: 'bytes' | 'passes' | 'requests'; sentence: string; form_words: string; bytes: number;
  verdict?: { fine: boolean; word: string; why: string };
  warp_cost: Cost; block_cost: Cost; warps: number;
  lanes: [bytes: number, transactions: number, passes: number, requests: number][];
  instructions?: { offsets: (number | null)[]; picture: Picture; segments?: Segment[] }[];
  fixes: Fix[]; all: { sm: number; cost: Cost }[];
  warnings: Problem[]; fault?: Problem;
}
export interface Curve extends Answered { unit: string; x: number[]; rows: { sm: number; points: (Cost | null)[] }[] }
export interface Gpu {
  sm: number; generation: string; part: string; rules: Record<string, { rule: string; citation: string; grade: string }>;
}
export interface Type extends Answered {
  name: string; size: number; align: number; struct: boolean;
  fields: { name: string; type: string; offset: number; bytes: number }[]; pieces: { offset: number; bytes: number }[];
}
export interface Pool extends Answered {
  bytes: number; aligned_bytes: number;
  arrays: { name: string; type: string; bytes: number; offset: number; alignment: number; fits: boolean; aligned_offset: number }[];
}
export interface Lesson extends Answered {
  name: string; title: string; words: string; look: string; vary: string; shots: { caption: string; asks: Record<string, string | string[]> }[];
}
export interface Judged extends Answered {
  accesses: {
    kernel: string; line: number; ptx_line: number; instruction: string; what: string; verdict: string; fine: boolean; known: boolean;
    conditional: boolean; blocks: string; pattern: string; cost: string; needed: number; conditions: string[]; reasons: string[]; change?: string;
  }[];
}

interface Exports {
  memory: WebAssembly.Memory; _initialize: () => void;
  wl_room: (bytes: number) => number; wl_ask: (at: number, bytes: number) => number; wl_size: () => number;
}
let code: WebAssembly.Module, wasm: Exports | undefined;

// It has no files, no clock and no network: what it may ask of a system is refused.
function instance(): Exports {
  const empty = (count: number, bytes: number) => {
    const view = new DataView(wasm!.memory.buffer);
    view.setUint32(count, 0, true), view.setUint32(bytes, 0, true);
    return 0;
  };
  const refused = 8; // EBADF
  const wasi = new Proxy({} as WebAssembly.ModuleImports, {
    get: (_, name) => (name === 'environ_sizes_get' ? empty : name === 'environ_get' ? () => 0
      : name === 'proc_exit' ? (status: number) => { throw new Error(`ended with ${status}`); } : () => refused),
  });
  wasm = new WebAssembly.Instance(code, { wasi_snapshot_preview1: wasi }).exports as unknown as Exports;
  wasm._initialize();
  return wasm;
}

export async function start(): Promise<void> {
  const packed = Uint8Array.from(atob(document.getElementById('module')!.textContent!.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  code = await WebAssembly.compile(await new Response(stream).arrayBuffer());
  instance();
}

const encoder = new TextEncoder(), decoder = new TextDecoder();
export function ask<T extends object>(question: object): T {
  try {
    const text = encoder.encode(JSON.stringify(question)), m = wasm ?? instance(), room = m.wl_room(text.length);
    new Uint8Array(m.memory.buffer, room, text.length).set(text);
    const answer = m.wl_ask(room, text.length);
    return JSON.parse(decoder.decode(new Uint8Array(m.memory.buffer, answer, m.wl_size())));
  } catch (problem) { // a trap leaves its memory in no known state
    wasm = undefined;
    return { error: { message: `WarpLens stopped: ${(problem as Error).message}`, help: 'please report what you typed' } } as T;
  }
}
