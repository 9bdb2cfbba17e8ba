// The source in its order, with what each line costs beside it, and the accesses of the line that was chosen.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { AccessView, CostText } from './access';
import { callsOf, checked, data, linesOf, text } from './data';
import { one, per, percent, times } from './format';
import { standingText } from './judged';
import { highlight, Piece } from './highlight';
import { Filter, Lane, laneOf, linesWith, Seen, SourceLine, View } from './model';
import { Bar, stepOf } from './parts';

const HEIGHT = 22, AHEAD = 24; // of a line in pixels; lines that are drawn beyond those in sight

const pieces = new Map<number, Piece[][]>();
function piecesOf(f: number): Piece[][] {
  let lines = pieces.get(f);
  if (!lines) {
    const source = data.files[f].text;
    lines = source === undefined ? linesOf(f).map((line) => highlight(line)[0]) : highlight(source);
    pieces.set(f, lines);
  }
  return lines;
}

const short: Record<Lane, string> = { device: 'device', shared: 'shared', constant: 'const.' };
const costIn = (line: SourceLine, lane: Lane): [number, number] =>
  line.accesses.reduce(([moved, waste], x) =>
    laneOf(text(x.a.space)) === lane ? [moved + x.moved, waste + x.waste] : [moved, waste], [0, 0] as [number, number]);

// Of check: how many times what would do the worst access of the line may cost.
const timesNeeded = (line: SourceLine, device: number) =>
  times(Math.max(...line.accesses.map(({ a }) => (a.judged!.bounds[device]?.[1] ?? 0) / Math.max(1, a.judged!.needed))));

// Accesses that never ran, by "file:line".
const idle = new Map<string, string>();
for (const kernel of data.kernels) for (const [f, l, what] of kernel.idle) idle.set(`${f}:${l}`, `${text(what)}: never ran`);

interface Row { n: number; line?: SourceLine }

// Of a file whose text is at hand, all lines; else those that are known.
function rowsOf(f: number, lines: Map<string, SourceLine>, only: boolean): Row[] {
  const known = linesOf(f), out: Row[] = [];
  let last = known.length;
  for (const line of lines.values()) if (line.f === f) last = Math.max(last, line.l);
  for (let n = 1; n <= last; ++n) {
    const line = lines.get(`${f}:${n}`);
    if (only ? [-2, -1, 0, 1, 2].some((d) => lines.has(`${f}:${n + d}`)) : data.files[f].text !== undefined || line || known[n - 1] !== undefined)
      out.push({ n, line });
  }
  return out;
}

function Line(props: { row: Row; code: Piece[] | undefined; lanes: Lane[]; tops: Record<Lane, number>; at: boolean; gap: boolean; device: number; idle?: string; choose: () => void }) {
  const { row: { n, line }, code, lanes, tops, at, choose } = props;
  const own = line?.accesses.length ? line : undefined, waste = own?.accesses.find((x) => x.waste > 0);
  const inlined = checked ? 0 : line?.inlined.reduce((sum, x) => sum + x.share, 0) ?? 0; // of the waste, in code that it calls
  const kind = `ln${own || line?.inlined.length ? ' has' : ''}${waste ? ' bad' : ''}${at ? ' at' : ''}${props.gap ? ' gap' : ''}`;
  const hint = waste && !checked ? <CostText cost={waste.a.cost[props.device]} /> : own ? (checked ? standingText(own.accesses[0].a, props.device) : text(own.accesses[0].a.pattern)) : line ? (inlined > 0 ? `${percent(inlined)} of the waste, in code that is inlined here` : 'calls inlined code with accesses') : props.idle ?? null;
  return (
    <div class={kind} style={waste && { '--h': Math.min(1, Math.sqrt(own!.share)) }} onClick={line ? choose : undefined} data-line={n}>
      <span class="gut">
        {own && own.share > 0 ? <span class="c-sh">{checked ? timesNeeded(own, props.device) : percent(own.share)}</span> : <span class="c-sh in">{inlined > 0 && percent(inlined)}</span>}
        {lanes.map((lane) => {
          const [moved, wasted] = own ? costIn(own, lane) : [0, 0];
          return <span class="c-bar">{moved > 0 && <Bar moved={moved} waste={wasted} of={tops[lane]} thin />}</span>;
        })}
        {line ? <button type="button" class="c-no" aria-label={`line ${n}: ${own ? `${own.accesses.length} accesses${own.share > 0 && !checked ? `, ${percent(own.share)} of the waste` : ''}` : hint}`}>{n}</button> : <span class="c-no">{n}</span>}
      </span>
      <span class="txt">{!code?.length && own && <span class="fnt">{text(own.accesses[0].a.what)} {text(own.accesses[0].a.array)}</span>}{code?.map(([words, token]) => (token ? <span class={`t-${token}`}>{words}</span> : words))}</span>
      {hint && <span class={`hint${waste ? '' : ' calm'}`}>{hint}</span>}
    </div>
  );
}

// Where the line is between those that are drawn: its row, or the next one's.
const indexOf = (rows: Row[], l: number) => Math.max(0, rows.findIndex((row) => row.n >= l));

function Code(props: { f: number; l: number; lines: Map<string, SourceLine>; device: number; go: (l: number) => void; printing: boolean }) {
  const { f, l, lines, go, printing } = props, box = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => rowsOf(f, lines, printing), [f, lines, printing]);
  const [top, scrolled] = useState(0), [height, sized] = useState(900);
  const own = useMemo(() => [...lines.values()].filter((line) => line.f === f), [f, lines]);
  const lanes = (['device', 'shared', 'constant'] as Lane[]).filter((lane) => own.some((line) => costIn(line, lane)[0] > 0));
  const tops = {} as Record<Lane, number>;
  for (const lane of lanes) tops[lane] = Math.max(...own.map((line) => costIn(line, lane)[0]));
  useLayoutEffect(() => {
    const code = box.current!;
    sized(code.clientHeight || 900);
    const y = indexOf(rows, l || (own.length ? own.reduce((p, q) => (q.share > p.share ? q : p)).l : 1)) * HEIGHT;
    if (!l || y < code.scrollTop + HEIGHT * 2 || y > code.scrollTop + code.clientHeight - HEIGHT * 4)
      code.scrollTop = Math.max(0, y - code.clientHeight / 3);
    scrolled(stepOf(code.scrollTop, HEIGHT));
  }, [f, l, rows]);
  useEffect(() => {
    const resize = () => sized(box.current?.clientHeight || 900);
    addEventListener('resize', resize);
    return () => removeEventListener('resize', resize);
  }, []);
  const from = printing ? 0 : Math.max(0, Math.floor(top / HEIGHT) - AHEAD);
  const to = printing ? rows.length : Math.min(rows.length, Math.ceil((top + height) / HEIGHT) + 8 + AHEAD);
  const code = piecesOf(f);
  const widest = useMemo(() => linesOf(f).reduce((most, line) => Math.max(most, line ? line.length : 0), 0), [f]);
  return (
    <div class="codewrap">
      <div class="code" ref={box} tabIndex={0} role="region" aria-label={`Source of ${data.files[f].name}`} onScroll={(e) => scrolled(stepOf(e.currentTarget.scrollTop, HEIGHT))}>
        <div class="gh"><span class="c-sh">{checked ? 'cost' : 'waste'}</span>{lanes.map((lane) => <span class="c-bar">{short[lane]}</span>)}<span class="c-no">line</span></div>
        <div class="lines" style={{ height: printing ? 'auto' : `${rows.length * HEIGHT}px`, minWidth: `calc(${Math.min(widest, 400)}ch + 190px)` }}>
          <div style={{ transform: printing ? 'none' : `translateY(${from * HEIGHT}px)` }}>
            {rows.slice(from, to).map((row, i) => (
              <Line key={row.n} row={row} code={code[row.n - 1]} lanes={lanes} tops={tops} at={row.n === l} device={props.device} idle={idle.get(`${f}:${row.n}`)} choose={() => go(row.n)}
                gap={from + i > 0 && rows[from + i - 1].n !== row.n - 1} />
            ))}
          </div>
        </div>
      </div>
      <div class="ruler" aria-hidden="true">
        {own.filter((line) => line.accesses.length).map((line) => (
          <i class={line.share > 0 ? '' : 'lo'} style={{ top: `${(100 * indexOf(rows, line.l)) / Math.max(1, rows.length)}%` }} onClick={() => go(line.l)} />
        ))}
      </div>
    </div>
  );
}

// Of names that begin and end alike, as those of a template's instances do, what differs.
function apart(names: string[]): (name: string) => string {
  const cut = /[<>,()[\]]/, before = (name: string, n: number) => name[name.length - 1 - n];
  const alike = (one: (name: string) => string) => names.every((name) => one(name) === one(names[0]) && one(name) !== undefined);
  let head = 0, tail = 0;
  while (alike((name) => name[head])) ++head;
  while (alike((name) => before(name, tail))) ++tail;
  while (head > 0 && !cut.test(names[0][head - 1])) --head; // whole arguments
  while (tail > 0 && !cut.test(before(names[0], tail - 1))) --tail;
  return (name) => (head + tail < 12 || head + tail >= name.length ? name : `${head ? '…' : ''}${name.slice(head, name.length - tail).trim()}${tail ? '…' : ''}`);
}

// What tells apart the accesses of one line: what is done, in which kernel, reached by which calls.
function label(x: Seen, line: SourceLine, inlined: boolean) {
  const all = inlined ? line.inlined : line.accesses, alike = all.filter((y) => y.a.what === x.a.what && y.a.array === x.a.array && y.a.k === x.a.k && callsOf(y.a) === callsOf(x.a));
  const kernels = [...new Set(all.map((y) => data.kernels[y.a.k].label))], calls = new Set(all.map((y) => callsOf(y.a)));
  return (
    <>
      <i class={x.waste > 0 ? 'dot' : 'dot ok'} aria-hidden="true" />
      {text(x.a.what)}{x.a.array !== undefined && <code> {text(x.a.array)}</code>}
      {kernels.length > 1 && <small>{apart(kernels)(data.kernels[x.a.k].label)}</small>}
      {alike.length > 1 && <small>{per(x.a.cost[0][0])} {one(x.a.cost[0][0], text(x.a.cost[0][2]))}</small>}
      {!inlined && calls.size > 1 && callsOf(x.a) && <small>from {callsOf(x.a)}</small>}
      {inlined && <small>at {data.files[x.a.f].name}:{x.a.l}</small>}
    </>
  );
}

function Panel({ line, id, view, close }: { line: SourceLine; id: number; view: View; close: () => void }) {
  const inlined = !line.accesses.length, all = inlined ? line.inlined : line.accesses;
  const seen = all.find((x) => x.id === id) ?? line.inlined.find((x) => x.id === id) ?? all[0];
  const head = useRef<HTMLElement>(null);
  useEffect(() => { if (head.current) head.current.scrollTop = 0; }, [seen.id]);
  return (
    <aside class="panel" ref={head} tabIndex={0} aria-label={`Accesses of line ${line.l}`}>
      <button type="button" class="icon close" aria-label="Close" onClick={close}>✕</button>
      {(all.length > 1 || inlined) && (
        <div class="pills" role="group" aria-label="Accesses of this line">
          {inlined && <p>Code that is inlined here:</p>}
          {all.slice(0, 60).map((x) => (
            <a href={`#source/${line.f}/${line.l}/${x.id}`} aria-current={x === seen ? 'true' : undefined}>{label(x, line, inlined)}</a>
          ))}
          {all.length > 60 && <p>and {all.length - 60} more: see Accesses</p>}
        </div>
      )}
      <AccessView seen={seen} device={view.device} />
    </aside>
  );
}

export function Source(props: { view: View; filter: Filter; f: number; l: number; id: number; go: (hash: string) => void; printing: boolean }) {
  const { view, filter, f, l, id, go, printing } = props;
  const lines = useMemo(() => linesWith(view, filter), [view, filter]);
  const shares = data.files.map((_, i) => ({ i, share: 0, any: false }));
  for (const line of lines.values()) {
    shares[line.f].share += line.share;
    shares[line.f].any = true;
  }
  const files = shares.filter((x) => x.any || x.i === f).sort((p, q) => q.share - p.share || p.i - q.i);
  const line = lines.get(`${f}:${l}`), tab = useRef<HTMLAnchorElement>(null);
  useEffect(() => tab.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' }), [f]);
  return (
    <div class={line ? 'src' : 'src shut'}>
      <div class="left">
        <h1 class="sr">Source: {data.files[f].name}</h1>
        <nav class="tabs" aria-label="Files">
          {files.map((x) => (
            <a href={`#source/${x.i}`} ref={x.i === f ? tab : undefined} aria-current={x.i === f ? 'page' : undefined}>
              {data.files[x.i].name}{x.share > 0 && !checked && <small>{percent(x.share)}</small>}
            </a>
          ))}
        </nav>
        {data.files[f].note && <p class="filenote">{data.files[f].note}</p>}
        <Code f={f} l={l} lines={lines} device={view.device} go={(n) => go(`#source/${f}/${n}`)} printing={printing} />
      </div>
      {line && <Panel line={line} id={id} view={view} close={() => go(`#source/${f}`)} />}
    </div>
  );
}
