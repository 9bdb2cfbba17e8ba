// Every access as a table: searched, filtered, sorted. Only the rows in sight exist.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { checked, data, fileName, placeOf, text } from './data';
import { one, per, percent } from './format';
import { Bounds, standingWord } from './judged';
import { Filter, hrefOf, passes, Seen, View } from './model';
import { Bar, stepOf } from './parts';

// Rows in pixels; after how many the list is drawn anew; rows that are drawn beyond those in sight; rows that scroll out are used again for those that come in.
const HEIGHT = 36, STEP = 16, AHEAD = 24, SLOTS = 256;

interface Column { id: string; title: string; kind: string; width: string; value: (x: Seen, device: number) => number | string }
const columns: Column[] = [
  { id: 'place', title: 'Place', kind: '', width: '19%', value: (x) => `${placeOf(x.a).replace(/\d+$/, '')}${String(x.a.l).padStart(6, '0')}` },
  { id: 'what', title: 'Access', kind: 'h', width: '14%', value: (x) => text(x.a.what) },
  { id: 'array', title: 'Array', kind: 'h', width: '11%', value: (x) => text(x.a.array) },
  { id: 'cost', title: 'Each', kind: 'r', width: '12%', value: (x, device) => x.a.cost[device][0] },
  { id: 'ideal', title: 'Would do', kind: 'r h', width: '9%', value: (x, device) => x.a.cost[device][1] },
  { id: 'waste', title: checked ? 'Verdict' : 'Waste', kind: '', width: '16%', value: (x) => x.cycles || x.waste / 1e18 },
  { id: 'kernel', title: 'Kernel', kind: 'h', width: '19%', value: (x) => data.kernels[x.a.k].label },
];
const numbers = ['cost', 'ideal', 'waste'];

const haystacks: string[] = [];
const haystack = (x: Seen) => (haystacks[x.id] ??=
  `${placeOf(x.a)} ${text(x.a.what)} ${text(x.a.array)} ${data.kernels[x.a.k].label} ${text(x.a.pattern)} ${text(x.a.ptx)}`.toLowerCase());
export const matches = (x: Seen, query: string) => query.toLowerCase().split(/\s+/).every((word) => haystack(x).includes(word));

export function List(props: { view: View; filter: Filter; at: number; move: (at: number) => void; shown: (n: number) => void; ids: { current: number[] } }) {
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
  const from = Math.max(0, Math.floor(top / HEIGHT) - AHEAD), to = Math.min(rows.length, Math.ceil((top + height) / HEIGHT) + STEP + AHEAD);
  return (
    <div class="vt" ref={box} tabIndex={0} role="region" aria-label="Accesses" onScroll={(e) => scrolled(stepOf(e.currentTarget.scrollTop, HEIGHT, STEP))}>
      <table aria-rowcount={rows.length + 1}>
        <caption class="sr">Every memory access of every kernel</caption>
        <thead>
          <tr>
            {columns.map((c) => (
              <th scope="col" class={c.kind} style={{ width: c.width }} aria-sort={sort.id === c.id ? (sort.down ? 'descending' : 'ascending') : undefined}>
                <button type="button" onClick={() => by({ id: c.id, down: sort.id === c.id ? !sort.down : numbers.includes(c.id) })}>
                  {c.title}<i aria-hidden="true">{sort.id === c.id ? (sort.down ? ' ↓' : ' ↑') : ''}</i>
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {from > 0 && <tr class="sp" aria-hidden="true"><td colSpan={7} style={{ height: `${from * HEIGHT}px` }} /></tr>}
          {rows.slice(from, to).map((x, i) => {
            const { a } = x, cost = a.cost[device];
            return (
              <tr key={(from + i) % SLOTS} class={from + i === at ? 'row at' : 'row'} aria-rowindex={from + i + 2} onClick={() => { props.move(from + i); location.hash = hrefOf(a, x.id); }}>
                <td class="mono"><a class="place" href={hrefOf(a, x.id)} title={placeOf(a)}><span>{a.f < 0 ? placeOf(a) : fileName(a.f)}</span>{a.f >= 0 && `:${a.l}`}</a></td>
                <td class="h">{text(a.what)}</td>
                <td class="h mono">{text(a.array)}</td>
                <td class="r num"><Bounds a={a} device={device}>{per(cost[0])} {one(cost[0], text(cost[2]))}</Bounds></td>
                <td class="r num h">{per(a.judged?.needed ?? cost[1])}</td>
                <td class="num">{a.judged ? <span class={x.waste > 0 ? '' : 'fnt'}>{standingWord(a, device)}</span> : a.timing !== undefined ? <span class="fnt" title="how often it runs depends on timing: it is in no total">timing</span> : x.waste > 0
                  ? <span class="share"><span>{percent(x.share)}</span><Bar moved={x.share} waste={x.share} of={most} thin /></span>
                  : <span class="fnt">none</span>}</td>
                <td class="h mono fnt" title={data.kernels[a.k].name}>{data.kernels[a.k].label}</td>
              </tr>
            );
          })}
          {to < rows.length && <tr class="sp" aria-hidden="true"><td colSpan={7} style={{ height: `${(rows.length - to) * HEIGHT}px` }} /></tr>}
        </tbody>
      </table>
      {rows.length === 0 && <p class="none">No access matches.</p>}
    </div>
  );
}
