// What the page shows, and how it stands in the address: only what differs from the defaults, so that links stay short.
import { ask, type Lesson } from './module';

export type Setting = [name: string, value: string];
export interface State {
  view: string; lesson: string;
  access: string; set: Setting[]; type: string; dims: string; block: string; grid: string; cta: string; warp: string; if: string;
  space: string; op: string; cache: string; base: string; pitch: string; sm: string; burst: string;
  vary: string;  // the number that the curve turns
  lanes: string; // how many are drawn
  before: string; // another access beside this one: its state, encoded
  pool: string;
}
export const plain: State = {
  view: 'access', lesson: '', access: 'A[threadIdx.x]', set: [], type: 'float', dims: '', block: '32', grid: '1', cta: '0', warp: '0', if: '',
  space: 'global', op: 'load', cache: '', base: '0', pitch: '0', sm: '90', burst: '0', vary: '', lanes: '32', before: '',
  pool: 'float a[100]; char flags[30]; double b[10];',
};
const keys = Object.keys(plain) as (keyof State)[], longest = 4000;

export function encode(state: Partial<State>): string {
  const out = new URLSearchParams();
  for (const key of keys) {
    const value = state[key];
    if (value === undefined) continue;
    if (key === 'set') { if (state.set!.length) out.set(key, state.set!.map((pair) => pair.join('=')).join(';')); }
    else if (value !== plain[key] || (key === 'access' && state.lesson)) out.set(key, value as string);
  }
  return out.toString().replace(/%(5B|5D|2C|3B|2F|28|29)/g, (code) => decodeURIComponent(code));
}

const setting = (text: string): Setting => [text.slice(0, text.indexOf('=')).trim(), text.slice(text.indexOf('=') + 1).trim()];

// The first access of a lesson; where there are two, they stand side by side.
export function opened(lesson: Lesson, shot = lesson.shots.length === 2 ? 1 : 0): State {
  const states = lesson.shots.map(({ asks }): State => ({
    ...plain, ...(asks as unknown as Partial<State>), set: (asks.set as string[]).map(setting), lesson: lesson.name, vary: lesson.vary,
  }));
  const before = lesson.shots.length === 2 && shot === 1 ? encode({ ...states[0], lesson: '', vary: '' }) : '';
  return { ...states[shot], before };
}

export function decode(hash: string): State {
  const asked = new URLSearchParams(hash.replace(/^#/, '').slice(0, longest)), out: State = { ...plain };
  for (const key of keys) {
    const value = asked.get(key);
    if (value === null) continue;
    if (key === 'set') out.set = value.split(';').filter((text) => text.includes('=')).map(setting);
    else out[key] = value;
  }
  if (!out.lesson || asked.has('access')) return out;
  const lesson = ask<Lesson>({ do: 'case', name: out.lesson });
  return lesson.error ? out : { ...opened(lesson), ...(asked.has('sm') ? { sm: out.sm } : {}) };
}

// As the module is asked for it.
export const question = (s: State, set = s.set) => ({
  access: s.access, if: s.if, set: set.map((pair) => pair.join('=')), type: s.type, dims: s.dims, block: s.block, grid: s.grid, cta: s.cta, warp: s.warp,
  space: s.space, op: s.op, cache: s.cache, base: s.base, pitch: s.pitch, burst: s.burst, sm: s.sm, lanes: Number(s.lanes),
});

// The same on the command line.
export function command(s: State, set: Setting[]): string {
  const quoted = (text: string) => (/^[\w.,:=-]+$/.test(text) ? text : `'${text.replace(/'/g, `'\\''`)}'`);
  const options: (keyof State)[] = ['sm', 'space', 'op', 'type', 'cache', 'grid', 'cta', 'warp', 'dims', 'base', 'pitch', 'burst', 'if'];
  const words = options.filter((key) => s[key] !== plain[key]).map((key) => `--${key} ${quoted(s[key] as string)}`);
  return ['warplens explain', ...words, `--block ${quoted(s.block)}`, ...set.map((pair) => `--set ${quoted(pair.join('='))}`), quoted(s.access)].join(' ');
}
