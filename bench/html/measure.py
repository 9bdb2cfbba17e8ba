#!/usr/bin/env python3
"""Measures the page of `--html` on the largest report that it is meant for: 1,583 launches, no two alike, and 3,000 accesses.

usage: measure.py WARPLENS [OLDER]

The report is made of a run of examples/transpose.cu: its kernels under 300 names each launched again and again, with other
sums. Printed are time, peak memory and size of `--html` beside `--json`; how long the page takes from navigation to its first
content and until two frames after it was loaded; and how far apart the frames are while it scrolls. The browser draws by
software, so that a real one is faster. With another build of WarpLens beside it, the pages of both are measured in turns, so that
what else the machine does falls on both, and the ratios are printed.
"""
import copy
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / 'tests/scripts'))
from browser import Browser  # noqa: E402

LAUNCHES, KERNELS = 1583, 900  # three kernels with ten accesses in all


def largest(report):
    """The report with its launches under other names and with other counts."""
    out, sites = [], 0
    for i in range(LAUNCHES):
        launch = copy.deepcopy(report['launches'][i % len(report['launches'])])
        number, again = i % KERNELS, i // KERNELS
        launch['kernel'] += f'_{number}'
        launch['name'] = launch['name'].replace('(', f'_{number}(', 1)
        launch['index'], launch['occurrences'] = i, [{'process': 0, 'first': i, 'count': 1, 'step': 1}]
        launch['grid'][0] += again
        out.append(launch)
        sites += len(launch['sites']) if again == 0 else 0
    report['launches'] = out
    return sites


def measured(command):
    """Seconds, and peak memory in MiB of the child alone."""
    code = ('import resource,subprocess,sys,time\nb=time.time()\nr=subprocess.run(sys.argv[1:],stdout=subprocess.DEVNULL,stderr=subprocess.DEVNULL)\n'
            'print(r.returncode,time.time()-b,resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss/1024)')
    words = subprocess.run([sys.executable, '-c', code, *command], capture_output=True, text=True, check=True).stdout.split()
    assert words[0] == '0', command
    return float(words[1]), float(words[2])


def processor_time(browser):
    """Seconds of all the browser's processes: what a machine without other work needs at most."""
    seconds, known = 0, {browser._process.pid}
    rows = []
    for entry in os.listdir('/proc'):
        if entry.isdigit():
            try:
                rows.append((int(entry), pathlib.Path('/proc', entry, 'stat').read_text().rsplit(')', 1)[1].split()))
            except OSError:
                pass
    for _ in range(3):
        known |= {pid for pid, fields in rows if int(fields[1]) in known}
    for pid, fields in rows:
        if pid in known:
            seconds += (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')
    return seconds


SCROLL = '''new Promise(done => {
  const box = document.querySelector(%r), gaps = []; let last = 0, n = 0;
  const frame = now => { if (last) gaps.push(now - last); last = now; box.scrollTop += 90; ++n < 240 ? requestAnimationFrame(frame) : done(gaps); };
  requestAnimationFrame(frame);
})'''


def opened(browser, page):
    """How one opening went: seconds until it was loaded, to the first content, and of processor time."""
    before = processor_time(browser)
    loaded = browser.open(page)
    used = processor_time(browser) - before
    return {'opened': loaded, 'processor time': used,
            'first content': browser.evaluate('performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0') / 1000}


def scrolled(browser, page, fragment, box):
    """How 240 frames went: milliseconds between them, of processor time for each, and frames later than 50 ms."""
    browser.open(page)
    browser.go(fragment)
    browser.evaluate('new Promise(done => setTimeout(done, 500))')
    before = processor_time(browser)
    gaps = sorted(browser.evaluate(SCROLL % box))
    return {'a frame after': statistics.median(gaps), '95 % within': gaps[int(len(gaps) * .95)], 'late': sum(gap > 50 for gap in gaps),
            'processor time of a frame': (processor_time(browser) - before) / len(gaps) * 1000}


def compare(what, unit, pages, rounds, measure):
    """Measures the pages in turns, and prints medians, and those of the first page as parts of the second's."""
    runs = {page: [] for page in pages}
    for _ in range(rounds):
        for page in pages:
            runs[page].append(measure(page))
    middle = {page: {name: statistics.median(run[name] for run in of) for name in of[0]} for page, of in runs.items()}
    for page, figures in middle.items():
        ranges = (f'{name} {value:.2f} ({min(r[name] for r in runs[page]):.2f} to {max(r[name] for r in runs[page]):.2f})'
                  for name, value in figures.items())
        print(f'{what}, {page} [{unit}]: {"; ".join(ranges)}')
    if len(pages) > 1:
        first, second = (middle[page] for page in pages)
        print(f'{what}, ratios: ' + '; '.join(f'{name} {first[name] / second[name]:.2f}' for name in first if second[name]))


def main():
    builds = {f'page{i}.html': os.path.abspath(path) for i, path in enumerate(sys.argv[1:])}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        warplens = builds['page0.html']
        pathlib.Path('transpose.cu').write_bytes((root / 'examples/transpose.cu').read_bytes())
        subprocess.run([warplens, 'run', '--sm', '90,70', '--json', 'run.json', 'transpose.cu'], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        report = json.loads(pathlib.Path('run.json').read_text())
        sites = largest(report)
        pathlib.Path('large.json').write_text(json.dumps(report))
        print(f'{LAUNCHES} launches, {KERNELS} kernels, {sites} accesses')
        for page, build in builds.items():
            for option, name in (('--html', page), ('--json', 'again.json')):
                runs = [measured([build, 'report', option, name, 'large.json']) for _ in range(3)]
                print(f'{page}, {option}: {min(t for t, _ in runs):.2f} s, {runs[0][1]:.0f} MiB, {os.stat(name).st_size / 1e6:.2f} MB')
        with Browser() as browser:
            browser.size(1280, 900)
            compare('opening', 's', list(builds), 9, lambda page: opened(browser, page))
            for fragment, box in (('#accesses', '.vt'), ('#source/0', '.code'), ('#overview', 'html')):
                compare(f'scrolling {fragment}', 'ms, frames', list(builds), 3, lambda page: scrolled(browser, page, fragment, box))
        print(f'load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors')


main()
