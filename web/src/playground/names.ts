// Names without a value get a usual one, until the reader gives another; and which of the values an access uses.
import { ask, type Answer } from './module';
import { question, type Setting, type State } from './state';

const thread = (axis: string) => `blockIdx.${axis}*blockDim.${axis} + threadIdx.${axis}`;
const usual: Record<string, string> = {
  n: '1024', N: '1024', m: '1024', width: '1024', w: '1024', height: '1024', pitch: '1024', k: '0', i: '0', j: '0', stride: '2', offset: '1', pad: '0',
  row: thread('y'), Row: thread('y'), col: thread('x'), Col: thread('x'), idx: thread('x'), tx: 'threadIdx.x', ty: 'threadIdx.y', lane: 'threadIdx.x % 32',
};
const own = ['threadIdx', 'blockIdx', 'blockDim', 'gridDim', 'warpSize'];

export interface Explained { answer: Answer; set: Setting[]; given: string[] }
export function explained(s: State): Explained {
  const set = [...s.set], given: string[] = [];
  let answer = ask<Answer>(question(s, set));
  for (let tries = 0; tries < 8 && answer.error?.kind === 'explain-unknown-name'; ++tries) {
    const { text = '', column = 1, length = 0 } = answer.error, name = text.slice(column - 1, column - 1 + length);
    const unfinished = own.some((one) => one.startsWith(name) && name.length > 3); // somebody is typing threadIdx
    if (!/^[A-Za-z_]\w*$/.test(name) || set.some(([known]) => known === name) || unfinished) break;
    set.unshift([name, usual[name] ?? '1']), given.push(name);
    answer = ask<Answer>(question(s, set));
  }
  return { answer, set, given };
}

// Those that the access, its condition or another used value names.
export function used(s: State, set: Setting[]): Setting[] {
  let out: Setting[] = [];
  for (;;) {
    const text = [s.access, s.if, ...out.map(([, value]) => value)].join(' ');
    const next = set.filter(([name]) => new RegExp(`(^|[^\\w.])${name.replace(/\W/g, '')}(?!\\w)`).test(text));
    if (next.length === out.length) return out;
    out = next;
  }
}
