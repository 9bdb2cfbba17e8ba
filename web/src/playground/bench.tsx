// The work bench: an access is typed; below it, in the order in which somebody explains it: is it good, where do the lanes go,
// what helps, why, what if a number were another, and on other GPUs.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { times } from '../format';
import { describe } from '../picture';
import { Card, Fixes, LaneByLane, Segments } from './card';
import { Plot, Small } from './curve';
import { ask, type Answer, type Curve, type Gpu, type Lesson, type Type } from './module';
import { explained, used } from './names';
import { capability, Field, ProblemBox, Sign } from './parts';
import { command, decode, encode, opened, plain, question, type Setting, type State } from './state';
import { Everywhere, TypeStrip } from './tables';

const spaces = ['global', 'shared', 'constant', 'local', 'texture'], ops = ['load', 'store', 'atomic', 'reduction'];
const types = ['float', 'double', 'int', 'char', 'half', 'float2', 'float4', 'struct{float x,y,z;}', 'struct __align__(16) {float x,y,z;}', 'struct{char tag; double value;}'];
type Change = (d: Partial<State>) => void;

// ---- the number that the curve turns

interface Turned { name: string; words: string; value: number; set: (x: number) => Partial<State> }
function turnable(s: State, set: Setting[]): Turned[] {
  const rest = (list: string) => list.split(/[x,]/);
  const out: Turned[] = used(s, set).filter(([, value]) => /^\d+$/.test(value.trim())).map(([name, value]) => ({
    name, words: name, value: Number(value), set: (x) => ({ set: set.map(([n, old]): Setting => [n, n === name ? `${x}` : old]) }),
  }));
  if (s.space === 'global') out.push({ name: '@base', words: 'start of the array, bytes', value: Number(s.base), set: (x) => ({ base: `${x}` }) });
  if (s.dims) out.push({ name: '@dims', words: 'last dimension', value: Number(rest(s.dims).pop()), set: (x) => ({ dims: [...rest(s.dims).slice(0, -1), x].join(',') }) });
  return [...out, { name: '@block.x', words: 'blockDim.x', value: Number(rest(s.block)[0]), set: (x) => ({ block: [x, ...rest(s.block).slice(1)].join(',') }) }];
}
interface Range { from: number; to: number }
function rangeAround({ name, value }: Turned): Range {
  if (name === '@base') return { from: 0, to: 128 };
  if (name === 'pad' && value <= 8) return { from: 0, to: 16 };
  return value <= 64 ? { from: name.startsWith('@') ? 1 : 0, to: 64 } : { from: value - 40, to: value + 40 };
}

function Sweep({ s, set, a, change }: { s: State; set: Setting[]; a: Answer; change: Change }) {
  const options = turnable(s, set), turned = options.find((o) => o.name === s.vary) ?? options[0], sm = Number(s.sm);
  const ranges = useRef<Record<string, Range>>({}), key = `${s.lesson}/${turned.name}`; // which stays while the number moves in it
  const known = ranges.current[key];
  if (!known || turned.value < known.from || turned.value > known.to) ranges.current[key] = rangeAround(turned);
  const range = ranges.current[key], step = turned.name === '@base' ? Math.max(1, a.bytes) : 1;
  const [curve, setCurve] = useState<Curve | null>(null);
  // What it depends on: everything but the number itself.
  const asked = JSON.stringify([question({ ...s, ...turned.set(range.from), lanes: '32', warp: '0' }, turned.set(range.from).set ?? set), turned.name, range, step]);
  useEffect(() => {
    const timer = setTimeout(() => { // after the answer itself is painted
      const sms = [...new Set([10, 13, 20, 35, 52, 70, 90, 120, sm])].sort((p, q) => p - q);
      const answer = ask<Curve>({ do: 'curve', ...question(s, set), vary: turned.name, ...range, step, sms });
      setCurve(answer.error ? null : answer);
    }, 0);
    return () => clearTimeout(timer);
  }, [asked]);
  if (!curve || curve.rows.length === 0) return null;
  const choose = (x: number) => change(turned.set(x));
  return (
    <section>
      <h2>{curve.unit === 'bytes' ? 'Bytes moved' : curve.unit === 'passes' ? 'Passes' : 'Requests'} per instruction of a warp, by
        <select value={turned.name} aria-label="What changes" onChange={(e) => change({ vary: e.currentTarget.value })}>{options.map((o) => <option value={o.name} selected={o === turned}>{o.words}</option>)}</select>
        <span class="key"><span><i class="u" />{curve.unit === 'bytes' ? 'asked for' : 'needed'}</span><span><i class="w" />for nothing</span></span></h2>
      <Plot curve={curve} sm={sm} at={turned.value} choose={choose} name={turned.words} />
      <input class="slide" type="range" aria-label={turned.words} min={range.from} max={range.to} step={step} value={turned.value} onInput={(e) => choose(Number(e.currentTarget.value))} />
      <Small curve={curve} sm={sm} choose={(x) => change({ sm: `${x}` })} />
    </section>
  );
}

// ---- what is asked

function Asked({ s, set, given, gpus, wrong, change }: { s: State; set: Setting[]; given: string[]; gpus: Gpu[]; wrong: boolean; change: Change }) {
  const [more, setMore] = useState(false);
  return (
    <div class="askbox">
      <label class="field wide"><span>an access, as in the source</span>
        <input id="access" value={s.access} spellcheck={false} autocapitalize="off" autocomplete="off" aria-invalid={wrong} onInput={(e) => change({ access: e.currentTarget.value })} /></label>
      <div class="fields">
        <label class="field"><span>type</span><input list="types" value={s.type} size={Math.max(8, Math.min(34, s.type.length + 1))} spellcheck={false} onInput={(e) => change({ type: e.currentTarget.value })} /></label>
        <datalist id="types">{types.map((t) => <option value={t} />)}</datalist>
        <Field label="block" value={s.block} width="76px" set={(block) => change({ block })} hint="threads of a block: x, y, z" />
        <Field label="memory" value={s.space} list={spaces} set={(space) => change({ space, op: space === 'constant' || space === 'texture' ? 'load' : s.op })} />
        <Field label="operation" value={s.op} list={ops} set={(op) => change({ op })} />
        <label class="field"><span>compute capability</span><select value={s.sm} onChange={(e) => change({ sm: e.currentTarget.value })}>{gpus.map((g) => <option value={`${g.sm}`} selected={`${g.sm}` === s.sm}>{capability(g.sm)} {g.generation}</option>)}</select></label>
        {used(s, set).map(([name, value]) => (
          <label class={given.includes(name) ? 'field given' : 'field'} title={given.includes(name) ? 'no value was given: this is a usual one' : undefined}><span>{name}</span>
            <input value={value} size={Math.max(5, Math.min(36, value.length))} spellcheck={false} autocapitalize="off"
              onInput={(e) => change({ set: set.map((pair): Setting => (pair[0] === name ? [name, e.currentTarget.value] : pair)) })} /></label>
        ))}
        <button type="button" class="unfold" aria-expanded={more} onClick={() => setMore(!more)}>{more ? 'less' : 'more …'}</button>
      </div>
      {more && <div class="fields">
        <Field label="only where" value={s.if} width="150px" set={(condition) => change({ if: condition })} hint="threads for which this is 0 take no part: i < n" />
        <Field label="start, bytes" value={s.base} width="70px" set={(base) => change({ base })} hint="from a 256-byte boundary" />
        <Field label="dimensions" value={s.dims} width="84px" set={(dims) => change({ dims })} hint="of A[i][j]: 32,33" />
        <Field label="pitch, bytes" value={s.pitch} width="70px" set={(pitch) => change({ pitch })} />
        <Field label="warp" value={s.warp} width="52px" set={(warp) => change({ warp })} />
        <Field label="grid" value={s.grid} width="70px" set={(grid) => change({ grid })} />
        <Field label="blockIdx" value={s.cta} width="70px" set={(cta) => change({ cta })} />
        <Field label="cache" value={s.cache} list={['', 'ca', 'cg', 'cs', 'cv', 'nc']} set={(cache) => change({ cache })} />
      </div>}
    </div>
  );
}

function LessonWords({ lesson, s, change }: { lesson: Lesson; s: State; change: Change }) {
  return (
    <div class="lesson">
      <h1>{lesson.title}</h1><p>{lesson.words}</p>{lesson.look && <p class="look"><b>Try:</b> {lesson.look}</p>}
      {lesson.shots.length > 1 && <div class="pills">
        {lesson.shots.map((shot, i) => {
          const state = { ...opened(lesson, i), before: '' }, now = !s.before && encode(state) === encode({ ...s, lanes: '32', vary: state.vary });
          return <a href={`#${encode(state)}`} aria-current={now ? 'true' : undefined}>{shot.caption}</a>;
        })}
        {lesson.shots.length === 2 && <button type="button" class="both" aria-pressed={!!s.before} onClick={() => change(opened(lesson))}>side by side</button>}
      </div>}
    </div>
  );
}

// What an access has that the one beside it has not.
function differences(s: State, set: Setting[], other: State, otherSet: Setting[]): string {
  const out = used(s, set).filter(([name, value]) => otherSet.find(([n]) => n === name)?.[1] !== value).map((pair) => pair.join(' = '));
  for (const key of ['type', 'block', 'base', 'dims', 'space', 'op', 'if'] as const)
    if (s[key] !== other[key]) out.push(`${key === 'if' ? 'only where' : key} ${s[key]}`);
  return [s.access, ...out].join(', ');
}
const captionOf = (lesson: Lesson | null, s: State) =>
  lesson?.shots.find((_, i) => encode({ ...opened(lesson, i), before: '', vary: '' }) === encode({ ...s, lesson: lesson.name, before: '', vary: '', lanes: '32' }))?.caption;

export function Bench({ s, gpus, change }: { s: State; gpus: Gpu[]; change: Change }) {
  const { answer: a, set, given } = useMemo(() => explained(s), [encode(s)]);
  const lesson = useMemo(() => { const l = s.lesson ? ask<Lesson>({ do: 'case', name: s.lesson }) : null; return l && !l.error ? l : null; }, [s.lesson]);
  const beside = useMemo(() => {
    if (!s.before) return null;
    const state = { ...decode(s.before), sm: s.sm, lanes: '32' }, other = explained(state);
    return other.answer.error || !other.answer.instructions ? null : { state, ...other };
  }, [s.before, s.sm]);
  const type = useMemo(() => ask<Type>({ do: 'type', type: s.type }), [s.type]);
  const last = useRef<Answer | null>(null); // that could be drawn: it stays, pale, while somebody types
  if (!a.error && a.instructions) last.current = a;
  const shown = last.current, sm = Number(s.sm), burst = s.burst !== '0';
  const [fixAt, setFix] = useState(0);
  useEffect(() => setFix(0), [s.access, s.space, s.type, s.lesson]);
  const fixAtShown = shown ? Math.min(fixAt, shown.fixes.length - 1) : -1;
  const after = shown && !beside && fixAtShown >= 0 && !shown.fixes[0].optional ? shown.fixes[fixAtShown] : null;
  const optional = shown?.fixes[0]?.optional ? shown.fixes[0] : null;
  const of = shown ? Math.max(shown.block_cost[0], shown.block_cost[1], beside?.answer.block_cost[0] ?? 0, after?.after_cost[0] ?? 0) : 1;
  const rule = gpus.find((g) => g.sm === sm)?.rules[s.space];
  const [asks, ...words] = (shown?.form_words ?? '').split('\n').filter(Boolean);
  const instructions = shown?.instructions ?? [];
  return (
    <div class="work">
      {lesson ? <LessonWords lesson={lesson} s={s} change={change} /> : <h1 class="sr">One access</h1>}
      <Asked s={s} set={set} given={given} gpus={gpus} wrong={!!a.error} change={change} />
      {a.error && <ProblemBox problem={a.error} />}
      {a.fault && <ProblemBox problem={a.fault} />}
      {a.warnings?.map((warning) => <p class="say">{warning.message}</p>)}
      {shown && a.error && <p class="sub">The last access that could be drawn:</p>}
      {shown && <div class={a.error ? 'stale' : ''}>
        {shown.verdict ? <p class={shown.verdict.fine ? 'say fine' : 'say'} role="status"><Sign fine={shown.verdict.fine} /><b>{shown.verdict.word}</b>: {shown.verdict.why}</p>
          : <p class="say" role="status">{shown.sentence}</p>}
        <div class="two">
          {beside && <Card title={captionOf(lesson, beside.state) ?? 'Before'} note={<code>{differences(beside.state, beside.set, s, set)}</code>} picture={beside.answer.instructions![0].picture} warp={beside.answer.warp_cost} block={beside.answer.block_cost} unit={beside.answer.unit} of={of} warps={beside.answer.warps} burst={burst} />}
          <Card title={beside ? captionOf(lesson, s) ?? 'Now' : `Now${shown.warps > 1 ? `, warp ${s.warp} of ${shown.warps}` : ''}`}
            note={beside ? <code>{differences(s, set, beside.state, beside.set)}</code> : instructions.length > 1 ? `the first of ${instructions.length} instructions; the others are the same, shifted` : undefined}
            picture={instructions[0].picture} warp={shown.warp_cost} block={shown.block_cost} unit={shown.unit} of={of} warps={shown.warps} burst={burst}>
            <Segments list={instructions[0].segments} />
            {!burst && <LaneByLane a={shown} s={s} set={(lanes) => change({ lanes: `${lanes}` })} />}
          </Card>
          {after && <Card title={`After: ${after.title}`} picture={after.picture} warp={after.warp_cost} block={after.after_cost} unit={shown.unit} of={of} warps={shown.warps}>
            <Fixes a={shown} at={fixAtShown} choose={setFix} />
            <p class="gainline"><b>{after.before} → {after.after}</b> {after.metric === 'wavefronts' ? 'passes' : after.metric}{after.gain > 1 && <>, <b class="to">{times(after.gain)}</b> fewer</>}</p>
          </Card>}
          {!after && !beside && <div class="card none2">
            <b>{shown.verdict?.fine || shown.warp_cost[3] === 1 ? 'Nothing is lost as it is.' : 'No change that WarpLens knows lowers these counts.'}</b>
            {optional && <p>{optional.title}: {optional.change}</p>}
            {shown.block_cost[3] < 0.8 && shown.verdict?.fine && <p>Few of the bytes are used, but no fewer transactions could serve these lanes.</p>}
          </div>}
        </div>
        <p class="pinrow">{s.before
          ? <button type="button" class="link" onClick={() => change({ before: '' })}>no longer side by side</button>
          : <button type="button" class="link" onClick={() => change({ before: encode({ ...s, set, lesson: '', lanes: '32', view: plain.view }) })}>keep this as “before”, and change it</button>}</p>
        <section><h2>Why</h2>
          <div class="why"><p class="q">{asks}</p>{words.map((line) => <p class={/✓|✗/.test(line) ? 'ans' : 'mono'}>{line.trim()}</p>)}</div>
          {rule && <p class="sub">{capability(sm)}: {rule.rule} <span class="from">({rule.grade}; {rule.citation})</span></p>}
          {!type.error && (type.struct || type.pieces.length > 1) && <TypeStrip t={type} />}
        </section>
        {!burst && <Sweep s={s} set={set} a={shown} change={change} />}
        {!burst && <section><h2>The same block on every compute capability</h2><Everywhere a={shown} gpus={gpus} sm={sm} choose={(x) => change({ sm: `${x}` })} /></section>}
      </div>}
      <section class="cmd"><h2>On the command line</h2><pre class="example"><code>{command(s, used(s, set))}</code></pre>
        {instructions[0] && <p class="sr">{describe(instructions[0].picture)}</p>}</section>
    </div>
  );
}
