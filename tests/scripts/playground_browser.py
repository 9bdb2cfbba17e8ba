"""Drives the playground as a reader, a teacher and a keyboard would: playground_browser.py SOURCE_DIR PAGE."""
import json
import pathlib
import statistics
import sys
import time

from browser import Browser

source_dir, page = pathlib.Path(sys.argv[1]), sys.argv[2]
axe_file = source_dir / 'web/node_modules/axe-core/axe.min.js'
failures = []


def expect(fact, what):
    if not fact:
        failures.append(what)
        print('FAILED:', what, file=sys.stderr)


def no_complaints(browser):
    """Of the page that is open: nothing thrown, refused or asked of a network."""
    for event in browser.events:
        if event['method'] == 'Runtime.exceptionThrown':
            expect(False, json.dumps(event['params'])[:300])
        if event['method'] == 'Network.requestWillBeSent':
            url = event['params']['request']['url']
            expect(url.startswith(('file:', 'data:', 'about:')), 'it asks for ' + url)
        if event['method'] == 'Log.entryAdded':
            expect(False, event['params']['entry']['text'])


def opened(browser, fragment=''):
    no_complaints(browser)
    seconds = browser.open(page, fragment)
    expect(comes(lambda: browser.evaluate('document.documentElement.dataset.ready') == '1'), 'the module starts')
    settled(browser)
    return seconds


def settled(browser):
    """The answer is painted, then the curve."""
    for _ in range(3):
        browser.drawn()


def comes(check):
    """Whether it is so within sixty seconds: what waits for a timer in the page."""
    end = time.monotonic() + 60
    while not check():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def text(browser, selector):
    return browser.evaluate(f'(document.querySelector({json.dumps(selector)}) || {{}}).innerText || ""')


def count(browser, selector):
    return browser.evaluate(f'document.querySelectorAll({json.dumps(selector)}).length')


def put(browser, selector, value):
    """As if somebody typed it."""
    browser.evaluate(f'''(() => {{ const e = document.querySelector({json.dumps(selector)});
        Object.getOwnPropertyDescriptor(Object.getPrototypeOf(e), 'value').set.call(e, {json.dumps(value)});
        e.dispatchEvent(new Event(e.tagName === 'SELECT' ? 'change' : 'input', {{bubbles: true}})); }})()''')
    settled(browser)


def uses(browser):
    browser.size(1280, 900)
    opened(browser)
    expect(browser.evaluate('location.hash') == '#lesson=stride', 'it begins with a lesson')
    expect('128 of 256 bytes' in text(browser, '.say'), f'a stride of 2: {text(browser, ".say")}')
    expect('8 → 4 transactions, 2× fewer' in text(browser, '.gainline'), 'the fix and its gain')
    expect(count(browser, '.curve g') == 65, 'the curve has a bar for each stride from 0 to 64')

    put(browser, '.slide', '8')
    expect('128 of 1024 bytes' in text(browser, '.say'), 'the slider turns the stride')
    expect(comes(lambda: 'stride%3D8' in browser.evaluate('location.href').replace('=8', '%3D8')), 'the state is in the address')

    put(browser, '#access', 'A[threadIdx.x*m')
    expect(text(browser, '.problem') != '' and count(browser, '.stale') == 1, 'half an expression is told of, and the picture stays')
    put(browser, '#access', 'A[threadIdx.x*m]')
    expect(count(browser, '.problem') == 0 and count(browser, '.field.given') == 1, 'a name without a value gets one')
    expect("--set m=1024 'A[threadIdx.x*m]'" in text(browser, '.cmd'), f'the command line: {text(browser, ".cmd")}')

    browser.go('#lesson=matmul-a')
    settled(browser)
    expect(count(browser, '.card.pic') == 2, 'two accesses side by side')
    expect('1 transaction a warp' in text(browser, '.card') and '32 transactions a warp' in text(browser, '.card:nth-child(2)'), 'and what each costs')
    browser.evaluate('history.back()')
    expect(comes(lambda: 'What a stride costs' in text(browser, '.lesson h1')), 'back goes back')
    settled(browser)

    browser.go('#lesson=padding')
    settled(browser)
    expect('no bank conflicts' in text(browser, '.say'), 'the padded tile has none')
    put(browser, '.slide', '0')
    expect('1024 passes where 32' in text(browser, '.say').replace(',', ''), f'without padding: {text(browser, ".say")}')
    browser.evaluate('document.activeElement.blur()')
    browser.key('j')
    settled(browser)
    expect(browser.evaluate('location.hash') == '#lesson=one-eighth', 'j opens the next lesson')
    browser.call('Input.dispatchKeyEvent', type='keyDown', key='ArrowRight')
    settled(browser)
    expect('Lane 0, thread (0)' in text(browser, '.steps p'), f'the arrow begins lane by lane: {text(browser, ".steps p")}')
    browser.key('l')
    expect(browser.evaluate('document.documentElement.dataset.lecture') == '1', 'l is for lectures')
    browser.key('l')

    browser.click('.erow .ccs button')
    settled(browser)
    expect(browser.evaluate('document.querySelector("select:has(option[value=\'121\'])").value') == '10', 'another compute capability')

    browser.go('#view=arrays')
    expect('start it at 432' in text(browser, '.pool'), 'arrays in one allocation')
    browser.go('#view=ptx')
    settled(browser)
    expect('32-way bank conflict' in text(browser, '.judgements:nth-of-type(2)') or '32-way bank conflict' in text(browser, '.ptx'), 'PTX is judged')
    put(browser, 'textarea', 'this is no PTX')
    expect(comes(lambda: text(browser, '.problem') != ''), 'what is no PTX is told of')
    put(browser, 'textarea', '')
    expect(comes(lambda: 'this is empty' in text(browser, '.problem')), 'nothing at all, too')


def lessons(browser):
    opened(browser, '#lesson=stride')
    names = browser.evaluate('[...document.querySelectorAll(".side a")].map(a => a.getAttribute("href"))')
    expect(len(names) > 20, f'{len(names)} lessons')
    for name in names:
        browser.go(name)
        settled(browser)
        expect(count(browser, '.problem') == 0 and count(browser, '.card.pic') >= 1 and text(browser, '.lesson h1') != '', f'{name} is drawn')


def hostile(browser):
    opened(browser, '#access=' + '<img src=x onerror="window.hacked=1">' * 200 + '&set=__proto__=1;constructor=2&sm=abc&lanes=-5&block=1e9&before=before%3D%26access&lesson=<script>')
    expect(text(browser, '.problem') != '' and browser.evaluate('window.hacked') is None, 'a link that wants to be markup is text')
    for fragment in ('#view=nothing', '#vary=@dims', '#lanes=99999', '#lesson=gather-shuffled', '#before=lesson%3Dstride', '#burst=3'):
        browser.go(fragment)
        settled(browser)
        expect(count(browser, '#access') == 1, f'{fragment} shows the bench')


def looks(browser):
    axe = axe_file.read_text() if axe_file.exists() else None
    if axe is None:
        print('axe was not run: npm --prefix web ci installs it')
    for width in (320, 390, 1280):
        browser.size(width, 800)
        for fragment in ('#lesson=stride', '#lesson=matmul-a', '#lesson=structure-alignment', '#lesson=crossing-1.2', '#view=arrays', '#view=ptx', '#access=A['):
            for theme in ('light', 'dark'):
                browser.theme(theme)
                opened(browser, fragment)
                where = f'{fragment}, {theme}, {width} pixels'
                wide = browser.evaluate('document.documentElement.scrollWidth')
                expect(wide <= width, f'nothing runs out of the page: {where}, {wide}')
                if axe and width != 320:
                    browser.evaluate(axe + ';0')
                    found = browser.evaluate('axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations.map('
                                             'v => v.id + ": " + v.nodes.map(n => n.target.join(" ")).join(", ")))')
                    expect(found == [], f'axe finds {found}: {where}')


def keystrokes(browser):
    """Milliseconds from a key to the painted frame: printed, not judged, since a machine may be busy."""
    browser.theme('light')
    browser.size(1280, 900)
    opened(browser, '#lesson=stride')
    started = browser.evaluate('performance.now()')
    whole, times = 'A[threadIdx.y*1024 + stride*threadIdx.x + 7]', []
    for end in range(1, len(whole) + 1):
        times.append(browser.evaluate(f'''(async () => {{ const e = document.getElementById('access'), begin = performance.now();
            Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(e, {json.dumps(whole[:end])});
            e.dispatchEvent(new Event('input', {{bubbles: true}}));
            await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
            return performance.now() - begin; }})()'''))
    print(f'ready after {started:.0f} ms; {len(times)} keys: median {statistics.median(times):.0f} ms, most {max(times):.0f} ms')


with Browser() as browser:
    uses(browser)
    lessons(browser)
    hostile(browser)
    looks(browser)
    keystrokes(browser)
    no_complaints(browser)
sys.exit(1 if failures else 0)
