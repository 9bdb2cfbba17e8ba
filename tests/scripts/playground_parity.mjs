// playground_parity.mjs MODULE PROGRAM COUNT: is what the WebAssembly module answers, text by text, what the native program does?
// The questions are random and the same every time; one in ten is broken somewhere.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const [module, program, count] = process.argv.slice(2);
let state = 20261127;
const random = (n) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * n);
};
const one = (list) => list[random(list.length)];
const small = () => one([0, 1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 33, 64, 100, 128, 1000, 1024]);

function expression(depth) {
  if (depth === 0)
    return one(['threadIdx.x', 'threadIdx.x', 'threadIdx.y', 'blockIdx.x', 'blockDim.x', 'n', 'k', `${small()}`]);
  const a = expression(depth - 1), b = expression(depth - 1);
  switch (random(9)) {
    case 0: case 1: return `${a} + ${b}`;
    case 2: return `${small()}*${a}`;
    case 3: return `(${a})*(${b})`;
    case 4: return `(${a})%${small() + 1}`;
    case 5: return `(${a})/${small() + 1}`;
    case 6: return `(${a} ^ ${random(32)})`;
    case 7: return `(${a} < ${small()} ? ${b} : ${small()})`;
    default: return `(${a}) >> ${random(6)}`;
  }
}
const types = ['float', 'float', 'char', 'short', 'int', 'double', 'float2', 'float4', 'struct{float x,y,z;}', 'struct{char t; double v;}'];
const sms = [10, 11, 12, 13, 20, 21, 30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121];

function access() {
  const type = one(types), space = one(['global', 'global', 'global', 'shared', 'shared', 'constant', 'local', 'texture']);
  const out = {
    do: 'explain', type, space, sm: one(sms), block: one(['32', '64', '16,16', '32,8', '8,8,4', '48', '256', '1024', '1']),
    access: `A[${expression(1 + random(3))}]`, set: [`n=${small() + 1}`, `k=${one(['threadIdx.y', '3', 'blockIdx.x*blockDim.x'])}`],
    op: space === 'constant' || space === 'texture' ? 'load' : one(['load', 'load', 'store', 'atomic', 'reduction']),
  };
  if (type.includes('x,y,z') && random(2)) out.access += one(['.x', '.y', '.z']);
  if (random(6) === 0) out.base = `${4 * random(64)}`;
  if (random(8) === 0) out.if = `threadIdx.x < ${small()}`;
  if (random(8) === 0) out.lanes = random(33);
  if (random(12) === 0) out.burst = 64, out.space = 'global';
  if (random(10) === 0) {
    const at = random(out.access.length);
    out.access = out.access.slice(0, at) + one(['', ']', '(', '*', '£', ' 99999999999 ', '.']) + out.access.slice(at + 1);
  }
  return out;
}
function question() {
  const asked = access();
  if (random(20) === 0) return { ...asked, do: 'curve', vary: one(['n', '@base', '@block.x']), from: 1, to: 1 + random(20), sms: [asked.sm, 10, 90] };
  if (random(40) === 0) return { do: 'type', type: asked.type };
  if (random(40) === 0) return { do: 'pool', pool: `float a[${small()}]; ${one(['double', 'char'])} b[${small()}];`, sm: asked.sm };
  return asked;
}

const { exports: m } = (await WebAssembly.instantiate(readFileSync(module), {
  wasi_snapshot_preview1: new Proxy({}, { get: (_, name) => () => { if (name === 'proc_exit') throw new Error(name); return 0; } }),
})).instance;
m._initialize();
const encoder = new TextEncoder(), decoder = new TextDecoder();
function ask(text) {
  const bytes = encoder.encode(text), room = m.wl_room(bytes.length);
  new Uint8Array(m.memory.buffer, room, bytes.length).set(bytes);
  const answer = m.wl_ask(room, bytes.length);
  return decoder.decode(new Uint8Array(m.memory.buffer, answer, m.wl_size()));
}

const questions = Array.from({ length: Number(count) }, () => JSON.stringify(question()));
questions.push('{"do":"gpus"}', '{"do":"cases"}');
for (const file of process.argv.slice(5)) questions.push(JSON.stringify({ do: 'check', ptx: readFileSync(file, 'utf8'), block: '', sm: 90 }));
const native = spawnSync(program, { input: questions.join('\n') + '\n', maxBuffer: 2 ** 31 - 1 });
if (native.status !== 0) throw new Error(`${program}: ${native.signal ?? native.status}`);
const answers = native.stdout.toString().split('\n');
let different = 0, refused = 0;
questions.forEach((text, i) => {
  if (answers[i].startsWith('{"error"')) ++refused;
  const answer = ask(text);
  if (answer === answers[i]) return;
  if (++different > 3) return;
  const at = [...answer].findIndex((c, k) => c !== answers[i][k]);
  console.log(`${text}\n  module: …${answer.slice(Math.max(0, at - 60), at + 60)}\n  native: …${answers[i].slice(Math.max(0, at - 60), at + 60)}`);
});
console.log(`${questions.length} questions, ${refused} refused, ${different} answered otherwise by the module; ${m.memory.buffer.byteLength >> 20} MiB`);
process.exit(different === 0 && refused < questions.length / 2 ? 0 : 1);
