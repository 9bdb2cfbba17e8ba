// Every access as a table: searched, filtered, sorted. Only the rows in sight exist, each at a place of its own: none that comes
// or goes moves another, and a row that stays is not drawn again.
import { Component } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { checked, data, fileName, placeOf, text } from './data';
import { one, per, percent } from './format';
import { Bounds, standingWord } from './judged';
import { Filter, hrefOf, passes, Seen, View } from './model';
import { Bar, KernelName, Middle, stepOf } from './parts';

// Of a row in pixels, rows that are drawn beyond those in sight, and after how many the list is drawn anew.
const HEIGHT = 36, AHEAD = 12, STEP = 8;

// `kind`: h, not on a phone; r, at the right.
interface Column { id: string; title: string; kind: string; look: string; value: (x: Seen, device: number) => number | string }
const columns: Column[] = [
  { id: 'place', title: 'Place', kind: '', look: 'mono', value: (x) => `${placeOf(x.a).replace(/\d+$/, '')}${String(x.a.l).padStart(6, '0')}` },
  { id: 'what', title: 'Access', kind: 'h', look: '', value: (x) => text(x.a.what) },
  { id: 'array', title: 'Array', kind: 'h', look: 'mono', value: (x) => text(x.a.array) },
  { id: 'cost', title: 'Each', kind: 'r', look: 'num', value: (x, device) => x.a.cost[device][0] },
  { id: 'ideal', title: 'Would do', kind: 'r h', look: 'num', value: (x, device) => x.a.cost[device][1] },
  { id: 'waste', title: checked ? 'Verdict' : 'Waste', kind: '', look: 'num', value: (x) => x.cycles || x.waste / 1e18 },
  { id: 'kernel', title: 'Kernel', kind: 'h', look: 'mono fnt', value: (x) => data.kernels[x.a.k].label },
];
const numbers = ['cost', 'ideal', 'waste'];

const haystacks: string[] = [];
const haystack = (x: Seen) => (haystacks[x.id] ??=
  `${placeOf(x.a)} ${text(x.a.what)} ${text(x.a.array)} ${data.kernels[x.a.k].label} ${text(x.a.pattern)} ${text(x.a.ptx)}`.toLowerCase());
export const matches = (x: Seen, query: string) => query.toLowerCase().split(/\s+/).every((word) => haystack(x).includes(word));

interface RowProps { x: Seen; i: number; at: boolean; device: number; most: number; choose: (i: number) => void }

class Row extends Component<RowProps> {
  shouldComponentUpdate(next: RowProps) {
    const { x, i, at, device, most } = this.props;
    return next.x !== x || next.i !== i || next.at !== at || next.device !== device || next.most !== most;
  }
  render({ x, i, at, device, most, choose }: RowProps) {
    const { a } = x, cost = a.cost[device];
    const waste = a.judged ? <span class={x.waste > 0 ? '' : 'fnt'}>{standingWord(a, device)}</span>
      : a.timing !== undefined ? <span class="fnt" title="how often it runs depends on timing: it is in no total">timing</span>
      : x.waste > 0 ? <span class="share"><span>{percent(x.share)}</span><Bar moved={x.share} waste={x.share} of={most} thin /></span>
      : <span class="fnt">none</span>;
    const cells = [
      <a href={hrefOf(a, x.id)} title={placeOf(a)}><Middle begin={a.f < 0 ? placeOf(a) : fileName(a.f)} end={a.f < 0 ? '' : `:${a.l}`} /></a>,
      text(a.what), text(a.array),
      <Bounds a={a} device={device}>{per(cost[0])} {one(cost[0], text(cost[2]))}</Bounds>,
      per(a.judged?.needed ?? cost[1]), waste, <KernelName label={data.kernels[a.k].label} />,
    ];
    return (
      <div role="row" class={at ? 'row at' : 'row'} aria-rowindex={i + 2} style={{ top: `${i * HEIGHT}px` }} onClick={() => { choose(i); location.hash = hrefOf(a, x.id); }}>
        {cells.map((cell, c) => <span role="cell" class={`${columns[c].kind} ${columns[c].look}`} title={c === 6 ? data.kernels[a.k].name : undefined}>{cell}</span>)}
      </div>
    );
  }
}

export function List(props: { view: View; filter: Filter; at: number; move: (at: number) => void; shown: (n: number) => void; ids: { current: number[] }; printing: boolean }) {
  const { view, filter, at } = props, { device } = view, box = useRef<HTMLDivElement>(null);
  const [sort, by] = useState({ id: 'waste', down: true }), [top, scrolled] = useState(0), [height, sized] = useState(900);
  const rows = useMemo(() => {
    const { value } = columns.find((c) => c.id === sort.id)!;
    const keyed = view.accesses.filter((x) => passes(x, filter) && (!filter.query || matches(x, filter.query))).map((x) => ({ x, key: value(x, device) }));
    keyed.sort((p, q) => (p.key < q.key ? -1 : p.key > q.key ? 1 : 0) * (sort.down ? -1 : 1) || q.x.cycles - p.x.cycles || q.x.waste - p.x.waste || p.x.id - q.x.id);
    props.ids.current = keyed.map(({ x }) => x.id);
    return keyed.map(({ x }) => x);
  }, [view, filter, sort]);
  useEffect(() => props.shown(rows.length), [rows.length]);
  useLayoutEffect(() => { sized(box.current?.clientHeight || 900); }, []);
  useLayoutEffect(() => { if (box.current) box.current.scrollTop = 0; }, [filter, sort]);
  useLayoutEffect(() => {
    const b = box.current!, y = at * HEIGHT;
    if (y < b.scrollTop) b.scrollTop = y;
    else if (y + 2 * HEIGHT > b.scrollTop + b.clientHeight) b.scrollTop = y + 2.5 * HEIGHT - b.clientHeight;
  }, [at]);
  const most = useMemo(() => view.accesses.reduce((share, x) => Math.max(share, x.share), 0) || 1, [view]);
  const first = Math.floor(top / HEIGHT), from = props.printing ? 0 : Math.max(0, first - AHEAD);
  const to = props.printing ? rows.length : Math.min(rows.length, first + Math.ceil(height / HEIGHT) + STEP + AHEAD);
  return (
    <div class="vt" ref={box} tabIndex={0} role="region" aria-label="Accesses" onScroll={(e) => scrolled(stepOf(e.currentTarget.scrollTop, HEIGHT, STEP))}>
      <div class={checked ? 'list verdicts' : 'list'} role="table" aria-label="Every memory access of every kernel" aria-rowcount={rows.length + 1}>
        <div role="rowgroup" class="head"><div role="row" class="row" aria-rowindex={1}>
          {columns.map((c) => (
            <span role="columnheader" class={c.kind} aria-sort={sort.id === c.id ? (sort.down ? 'descending' : 'ascending') : undefined}>
              <button type="button" onClick={() => by({ id: c.id, down: sort.id === c.id ? !sort.down : numbers.includes(c.id) })}>
                {c.title}<i aria-hidden="true">{sort.id === c.id ? (sort.down ? ' ↓' : ' ↑') : ''}</i>
              </button>
            </span>
          ))}
        </div></div>
        <div role="rowgroup" class="rows" style={{ height: `${rows.length * HEIGHT}px` }}>
          {rows.slice(from, to).map((x, k) => <Row key={x.id} x={x} i={from + k} at={from + k === at} device={device} most={most} choose={props.move} />)}
        </div>
      </div>
      {rows.length === 0 && <p class="none">No access matches.</p>}
    </div>
  );
}
