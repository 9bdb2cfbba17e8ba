// The playground: an access is typed, and what a warp of it does is drawn at once. All numbers and words are the module's.
import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { turnTheme } from '../theme';
import { Bench } from './bench';
import { ask, start, type Gpu } from './module';
import { Ptx } from './ptx';
import { decode, encode, type State } from './state';
import { Arrays } from './tables';

interface Entry { group: string; name: string; title: string }
const first = 'stride';
const lecture = () => { const { dataset } = document.documentElement; if (dataset.lecture) delete dataset.lecture; else dataset.lecture = '1'; };

function Lessons({ list, now }: { list: Entry[]; now: string }) {
  const groups = [...new Set(list.map((entry) => entry.group))];
  return (
    <nav class="lessons" aria-label="Lessons">
      {groups.map((group) => <>
        <h2>{group}</h2>
        <ul>{list.filter((entry) => entry.group === group).map((entry) => <li><a href={`#lesson=${entry.name}`} aria-current={now === entry.name ? 'true' : undefined}>{entry.title}</a></li>)}</ul>
      </>)}
    </nav>
  );
}

function App({ gpus, list }: { gpus: Gpu[]; list: Entry[] }) {
  const [s, setState] = useState<State>(() => decode(location.hash)), [copied, setCopied] = useState(false), timer = useRef(0);
  useEffect(() => {
    const moved = () => { clearTimeout(timer.current); setState(decode(location.hash)); };
    addEventListener('hashchange', moved);
    return () => removeEventListener('hashchange', moved);
  }, []);
  const change = (d: Partial<State>) => setState((old) => {
    const next = { ...old, ...d };
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => history.replaceState(null, '', `#${encode(next)}`), 250); // browsers limit how often
    return next;
  });
  useEffect(() => { document.title = `${s.access} – WarpLens`; }, [s.access]);
  const share = () => {
    history.replaceState(null, '', `#${encode(s)}`);
    const done = () => { setCopied(true); setTimeout(() => setCopied(false), 1500); };
    if (navigator.clipboard) navigator.clipboard.writeText(location.href).then(done, () => prompt('The link', location.href));
    else prompt('The link', location.href);
  };
  const here = list.findIndex((entry) => entry.name === s.lesson);
  useEffect(() => {
    const key = (e: KeyboardEvent) => {
      if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test((e.target as HTMLElement).tagName)) return;
      const step = (by: number) => change({ lanes: `${Math.max(0, Math.min(32, (by > 0 && s.lanes === '32' ? 0 : Number(s.lanes)) + by))}` });
      const go = (by: number) => { location.hash = `lesson=${list[Math.max(0, Math.min(list.length - 1, here + by))].name}`; };
      const keys: Record<string, () => void> = {
        t: turnTheme, l: lecture, ArrowRight: () => step(1), ArrowLeft: () => step(-1), j: () => go(1), k: () => go(-1),
        '/': () => { e.preventDefault(); document.getElementById('access')?.focus(); },
      };
      keys[e.key]?.();
    };
    addEventListener('keydown', key);
    return () => removeEventListener('keydown', key);
  });
  const views = [['access', 'Access'], ['arrays', 'Arrays'], ['ptx', 'PTX']];
  return (
    <>
      <header id="top">
        <span class="brand">WarpLens<small>playground</small></span>
        <nav class="views" aria-label="Views">{views.map(([view, title]) => <a href={`#${encode({ ...s, view })}`} aria-current={s.view === view ? 'page' : undefined}>{title}</a>)}</nav>
        <span class="grow" />
        <button type="button" class="act roomy" title="Larger, without the list of lessons (l)" onClick={lecture}>Lecture</button>
        <button type="button" class="act" onClick={share}>{copied ? 'copied' : 'Copy link'}</button>
        <button type="button" class="icon" aria-label="Light or dark" title="Light or dark (t)" onClick={turnTheme}>◐</button>
      </header>
      {s.view === 'arrays' ? <main><Arrays s={s} change={change} /></main> : s.view === 'ptx' ? <main><Ptx s={s} /></main> : (
        <main class="play">
          <details class="menu"><summary>{here >= 0 ? list[here].title : 'Lessons'}</summary><Lessons list={list} now={s.lesson} /></details>
          <div class="side"><Lessons list={list} now={s.lesson} /></div>
          <Bench s={s} gpus={gpus} change={change} />
        </main>
      )}
    </>
  );
}

start().then(() => {
  const { gpus } = ask<{ gpus: Gpu[] }>({ do: 'gpus' }), { cases } = ask<{ cases: Entry[] }>({ do: 'cases' });
  if (!location.hash) location.replace(`#lesson=${first}`);
  render(<App gpus={gpus} list={cases} />, document.getElementById('app')!);
  document.documentElement.dataset.ready = '1';
}, (problem) => { document.getElementById('app')!.textContent = `This page needs WebAssembly: ${problem}`; });
