// The frame: header, views, addresses, keys.
import { render } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { AccessView } from './access';
import { data } from './data';
import { plural } from './format';
import { List } from './list';
import { everything, Filter, findingsOf, hrefOf, linesWith, spaces, viewOf } from './model';
import { Overview } from './overview';
import { Choice } from './parts';
import { Source } from './source';
import { turnTheme } from './theme';

type Name = 'overview' | 'source' | 'accesses' | 'access';
interface Route { name: Name; parts: number[] }

// "#source/2/39/7": the second file's line 39, access 7. What cannot be is the overview.
function routeOf(hash: string): Route {
  const [name, ...rest] = hash.slice(1).split('/'), parts = rest.map((part) => Number.parseInt(part, 10));
  if (name === 'source' && data.files[parts[0]]) return { name, parts };
  if (name === 'access' && data.accesses[parts[0]]) return { name, parts };
  if (name === 'accesses') return { name, parts };
  return { name: 'overview', parts: [] };
}

const keys: [string, string][] = [
  ['1 2 3', 'overview, source, accesses'], ['j k', 'next and previous cause, line with waste, or row'],
  ['Enter', 'open it'], ['/', 'search'], ['t', 'light or dark'], ['Esc', 'close, back to the overview'], ['?', 'this help'],
];

function Help({ close }: { close: () => void }) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => box.current?.showModal(), []);
  return (
    <dialog ref={box} aria-labelledby="help-title" onClose={close}>
      <h2 id="help-title">Keys and words</h2>
      <dl>{keys.map(([key, words]) => <><dt>{key.split(' ').map((k) => <><kbd>{k}</kbd> </>)}</dt><dd>{words}</dd></>)}</dl>
      <p>A request is one load or store of a warp of 32 lanes. Global and local memory move between warps and the L1 in sectors of 32 bytes, four to a line of 128; what the L1 or the L2 has does not come from device memory again. Shared memory has banks; lanes that want different words of one bank need a pass each, a wavefront. Blue is what is needed, hatched orange what travels for nothing; in the picture of a warp, what its lanes ask for, and what comes with it.</p>
      <button type="button" class="go" onClick={() => box.current!.close()}>Close</button>
    </dialog>
  );
}

function Filters({ filter, set, shown }: { filter: Filter; set: (f: Filter) => void; shown?: number }) {
  return (
    <div class="tools">
      {spaces.length > 1 && <Choice label="Memory space" value={filter.space} options={[['', 'all'], ...spaces.map((s): [string, string] => [s, s])]} choose={(space) => set({ ...filter, space })} />}
      {data.kernels.length > 1 && (
        <select aria-label="Kernel" value={filter.kernel} onChange={(e) => set({ ...filter, kernel: Number(e.currentTarget.value) })}>
          <option value={-1}>all kernels</option>
          {data.kernels.map((k, i) => <option value={i} selected={i === filter.kernel}>{k.label}</option>)}
        </select>
      )}
      <label class="check"><input type="checkbox" checked={filter.wasteful} onChange={(e) => set({ ...filter, wasteful: e.currentTarget.checked })} />only what wastes</label>
      {shown !== undefined && <span class="n num" role="status">{shown === data.accesses.length ? plural(shown, 'access') : `${shown} of ${plural(data.accesses.length, 'access')}`}</span>}
    </div>
  );
}

const views: [Name, string][] = [['overview', 'Overview'], ['source', 'Source'], ['accesses', 'Accesses']];

function App() {
  const [route, setRoute] = useState(() => routeOf(location.hash)), [device, setDevice] = useState(0);
  const [filter, setFilter] = useState<Filter>(everything), [shown, setShown] = useState(data.accesses.length), [at, setAt] = useState(0);
  const [open, setOpen] = useState(0), [all, setAll] = useState(false), [help, setHelp] = useState(false), [printing, setPrinting] = useState(false);
  const search = useRef<HTMLInputElement>(null), ids = useRef<number[]>([]), last = useRef('');
  const view = viewOf(device), others = useMemo(() => data.run.devices.map((_, i) => viewOf(i)), []);
  const { name, parts } = route;
  const go = (hash: string) => { location.hash = hash; };
  const source = () => last.current || (data.findings.length ? hrefOf(data.accesses[data.findings[0].accesses[0]], data.findings[0].accesses[0]) : '#source/0');

  useEffect(() => {
    const moved = () => {
      const next = routeOf(location.hash);
      if (next.name === 'source') last.current = location.hash;
      if (next.name === 'accesses' && data.kernels[next.parts[0]]) setFilter((f) => ({ ...f, kernel: next.parts[0] }));
      setRoute(next);
    };
    moved();
    const print = (on: boolean) => () => setPrinting(on), before = print(true), after = print(false);
    addEventListener('hashchange', moved), addEventListener('beforeprint', before), addEventListener('afterprint', after);
    return () => { removeEventListener('hashchange', moved), removeEventListener('beforeprint', before), removeEventListener('afterprint', after); };
  }, []);
  useEffect(() => { document.body.dataset.view = name; if (name === 'overview') scrollTo(0, 0); }, [name]);
  useEffect(() => setAt(0), [filter]);

  const step = (by: number) => {
    if (name === 'accesses') setAt(Math.max(0, Math.min(ids.current.length - 1, at + by)));
    else if (name === 'overview') {
      const next = Math.max(0, Math.min((all ? data.findings.length : Math.min(10, data.findings.length)) - 1, open + by));
      setOpen(next);
      requestAnimationFrame(() => document.querySelector('.find.open')?.scrollIntoView({ block: 'nearest' }));
    } else if (name === 'source') {
      const lines = [...linesWith(view, filter).values()].filter((line) => line.f === parts[0] && line.accesses.length).sort((p, q) => p.l - q.l);
      const bad = lines.filter((line) => line.share > 0), list = bad.length ? bad : lines, here = parts[1] || 0;
      const next = by > 0 ? list.find((line) => line.l > here) : [...list].reverse().find((line) => line.l < here);
      if (next) go(`#source/${parts[0]}/${next.l}`);
    }
  };
  const openHere = () => {
    const id = name === 'accesses' ? ids.current[at] : name === 'overview' ? findingsOf(view)[open]?.f.accesses[0] : undefined;
    if (id !== undefined) go(hrefOf(data.accesses[id], id));
  };
  useEffect(() => {
    const pressed = (e: KeyboardEvent) => {
      if (e.ctrlKey || e.metaKey || e.altKey || help) return;
      const target = e.target as HTMLElement, typing = /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
      if (e.key === 'Escape') {
        if (typing) setFilter({ ...filter, query: '' }), target.blur();
        else if (name === 'source' && parts[1]) go(`#source/${parts[0]}`);
        else go('#overview');
      } else if (typing) {
        if (e.key === 'Enter' && target === search.current) go('#accesses'), target.blur();
      } else if (e.key === 'j' || e.key === 'k') e.preventDefault(), step(e.key === 'j' ? 1 : -1);
      else if (e.key === '/') e.preventDefault(), search.current?.focus(), search.current?.select();
      else if (e.key === '?') setHelp(true);
      else if (e.key === 't') turnTheme();
      else if (e.key === '1') go('#overview');
      else if (e.key === '2') go(source());
      else if (e.key === '3') go('#accesses');
      else if (e.key === 'Enter' && !target.closest('button,a,summary')) openHere();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  });

  const chooseDevice = data.run.devices.length > 1 && (
    <span class="segl"><span>compute capability</span>
      {data.run.devices.length > 4
        ? <select aria-label="Compute capability" value={device} onChange={(e) => setDevice(Number(e.currentTarget.value))}>
            {data.run.devices.map((d, i) => <option value={i} selected={i === device}>{d.sm}{d.generation && ` ${d.generation}`}</option>)}
          </select>
        : <Choice label="Compute capability" value={device} options={data.run.devices.map((d, i): [number, string] => [i, d.sm])} choose={setDevice} />}</span>
  );
  return (
    <>
      <a class="skip" href="#main" onClick={(e) => { e.preventDefault(); document.getElementById('main')!.focus(); }}>Skip to the report</a>
      <header id="top" class="two">
        <span class="brand">WarpLens<small title={data.title}>{data.title}</small></span>
        <nav class="views" aria-label="Views">
          {views.filter(([view]) => view !== 'source' || data.files.length > 0).map(([view, title]) => (
            <a href={view === 'source' ? source() : `#${view}`} aria-current={view === name ? 'page' : undefined}>{title}</a>
          ))}
        </nav>
        <span class="grow" />
        {chooseDevice}
        <label class="search"><input ref={search} type="search" placeholder="Search" aria-label="Search kernels, files, arrays, patterns" autocomplete="off" spellcheck={false}
          value={filter.query} onInput={(e) => { setFilter({ ...filter, query: e.currentTarget.value.trim() }); if (name === 'source' || name === 'access') go('#accesses'); }} /><kbd aria-hidden="true">/</kbd></label>
        <button type="button" class="icon" aria-label="Light or dark" title="Light or dark (t)" onClick={turnTheme}>◐</button>
        <button type="button" class="icon" aria-label="Keys and words" title="Keys and words (?)" onClick={() => setHelp(true)}>?</button>
      </header>
      <main id="main" tabIndex={-1}>
        {name === 'overview' && <Overview view={view} views={others} query={filter.query} choose={setDevice} open={printing ? -2 : open} setOpen={setOpen} all={all} setAll={setAll} />}
        {name === 'source' && <div class="full"><Filters filter={filter} set={setFilter} /><Source view={view} filter={filter} f={parts[0]} l={parts[1] || 0} id={parts[2] ?? -1} go={go} printing={printing} /></div>}
        {name === 'accesses' && <div class="full"><h1 class="sr">Accesses</h1><Filters filter={filter} set={setFilter} shown={shown} /><List view={view} filter={filter} at={at} move={setAt} shown={setShown} ids={ids} printing={printing} /></div>}
        {name === 'access' && <div class="page narrow"><h1 class="sr">Access</h1><AccessView seen={view.accesses[parts[0]]} device={device} /></div>}
      </main>
      {help && <Help close={() => setHelp(false)} />}
    </>
  );
}

render(<App />, document.getElementById('app')!);
