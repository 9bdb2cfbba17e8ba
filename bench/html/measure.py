#!/usr/bin/env python3
"""Measures the page of `--html` on the largest report that it is meant for: 1,583 launches, no two alike, and 3,000 accesses.

usage: measure.py WARPLENS

The report is made of a run of examples/transpose.cu: its kernels under 300 names each launched again and again, with other
sums. Printed are time, peak memory and size of `--html` beside `--json`; how long the page takes from navigation to its first
content and until two frames after it was loaded; and how far apart the frames are while it scrolls. The browser draws by
software, so that a real one is faster.
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


def main():
    warplens = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        pathlib.Path('transpose.cu').write_bytes((root / 'examples/transpose.cu').read_bytes())
        subprocess.run([warplens, 'run', '--sm', '90,70', '--json', 'run.json', 'transpose.cu'], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        report = json.loads(pathlib.Path('run.json').read_text())
        sites = largest(report)
        pathlib.Path('large.json').write_text(json.dumps(report))
        print(f'{LAUNCHES} launches, {KERNELS} kernels, {sites} accesses')
        for option, name in (('--html', 'page.html'), ('--json', 'again.json')):
            runs = [measured([warplens, 'report', option, name, 'large.json']) for _ in range(3)]
            print(f'{option}: {min(t for t, _ in runs):.2f} s, {runs[0][1]:.0f} MiB, {os.stat(name).st_size / 1e6:.2f} MB')
        with Browser() as browser:
            browser.size(1280, 900)
            opened, painted, used = [], [], []
            for _ in range(9):
                before = processor_time(browser)
                opened.append(browser.open('page.html'))
                used.append(processor_time(browser) - before)
                painted.append(browser.evaluate('performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0') / 1000)
            print(f'opened in {statistics.median(opened):.2f} s ({min(opened):.2f} to {max(opened):.2f}), '
                  f'first content after {statistics.median(painted):.2f} s ({min(painted):.2f} to {max(painted):.2f}); '
                  f'processor time {statistics.median(used):.2f} s ({min(used):.2f} to {max(used):.2f})')
            for fragment, box in (('#accesses', '.vt'), ('#source/0', '.code'), ('#overview', 'html')):
                browser.go(fragment)
                browser.evaluate('new Promise(done => setTimeout(done, 500))')
                before = processor_time(browser)
                gaps = sorted(browser.evaluate(SCROLL % box))
                frame = (processor_time(browser) - before) / len(gaps) * 1000
                print(f'scrolling {fragment}: a frame after {statistics.median(gaps):.1f} ms, 95 % within {gaps[int(len(gaps) * .95)]:.1f} ms, '
                      f'{sum(gap > 50 for gap in gaps)} of {len(gaps)} after more than 50 ms; processor time of a frame {frame:.1f} ms')
        print(f'load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors')


main()
