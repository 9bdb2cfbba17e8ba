"""Drives the page of `--html` as a reader would: html_browser.py SOURCE_DIR PAGE HOSTILE_PAGE CHECK_PAGE EXPLAIN_PAGE
LONG_PAGE DIFF_PAGE COMPARE_PAGE."""
import pathlib
import sys

from browser import Browser

source_dir, page, hostile, checked, explained, long_page, of_two, side_by_side = pathlib.Path(sys.argv[1]), *sys.argv[2:9]
axe_file = source_dir / 'web/node_modules/axe-core/axe.min.js'
failures = []


def expect(fact, what):
    if not fact:
        failures.append(what)
        print('FAILED:', what, file=sys.stderr)


def complaints(browser):
    """What the page threw, what its policy refused, and what it tried to load."""
    out = []
    for event in browser.events:
        if event['method'] == 'Runtime.exceptionThrown':
            details = event['params']['exceptionDetails']
            out.append(details.get('exception', {}).get('description', details['text']))
        if event['method'] == 'Log.entryAdded':
            out.append(event['params']['entry']['text'])
        if event['method'] == 'Network.requestWillBeSent':
            url = event['params']['request']['url']
            if not url.startswith(('file:', 'data:')):
                out.append('it asks for ' + url)
    return out


def text(browser, selector):
    return browser.evaluate(f'(document.querySelector({selector!r}) || {{}}).innerText || ""')


def views(browser):
    browser.size(1280, 900)
    browser.open(page)
    expect('for nothing' in text(browser, 'h1'), 'the overview says what is for nothing')
    expect(browser.evaluate('document.querySelectorAll(".find").length') == 2, 'two causes')
    browser.key('j')
    expect(text(browser, '.find.open .rank') == '2', 'j opens the next cause')
    browser.key('Enter')
    expect(browser.evaluate('location.hash').startswith('#source/0/32/'), 'Enter opens its line')
    expect('wavefronts per instruction' in text(browser, '.panel'), 'the line shows its access')
    expect(browser.evaluate('document.querySelectorAll(".panel .lane").length') > 32, 'the lanes are drawn')
    browser.key('k')
    expect(browser.evaluate('location.hash') == '#source/0/22', 'k goes to the line with waste above')
    browser.click('[data-line="28"] button')
    expect(browser.evaluate('document.querySelectorAll(".pills a").length') == 2, 'line 28 has two accesses')
    browser.key('Escape')
    expect(text(browser, '.panel') == '', 'Escape closes the line')
    browser.key('3')
    rows = 'document.querySelectorAll(".rows .row").length'
    expect(browser.evaluate(rows) == 10, 'ten accesses')
    browser.click('.tools .seg button:nth-child(3)')
    expect(browser.evaluate(rows) == 4, 'four of them in shared memory')
    browser.click('.tools .seg button:nth-child(1)')
    browser.key('/')
    for letter in 'padded':
        browser.key(letter)
    expect(browser.evaluate(rows) == 4, 'four of transpose_padded')
    browser.key('Escape')
    expect(browser.evaluate(rows) == 10, 'Escape ends the search')
    browser.click('.list .head span:nth-child(1) button')
    expect(text(browser, '.rows .row span').endswith(':22'), 'sorted by place')
    browser.key('1')
    browser.click('.segl button:nth-child(2)')
    expect(text(browser, '.segl [aria-pressed=true]') == '3.5', 'another architecture')
    browser.key('?')
    expect(browser.evaluate('document.querySelector("dialog").open'), '? explains the keys')
    browser.key('Escape')
    before = browser.evaluate('document.documentElement.dataset.theme')
    browser.key('t')
    expect(browser.evaluate('document.documentElement.dataset.theme') != before, 't changes the theme')
    browser.key('t')
    expect(complaints(browser) == [], f'nothing is thrown, refused or loaded: {complaints(browser)}')


def without_a_run(browser):
    browser.size(1280, 900)
    browser.open(checked)
    expect('2 of 10 accesses' in text(browser, 'h1'), f'check says how many cost more: {text(browser, "h1")}')
    expect('1 to 32 sectors' in text(browser, '.find.open .fs'), 'check gives bounds')
    browser.key('Enter')
    expect(browser.evaluate('location.hash').startswith('#source/0/22/'), 'Enter opens the line')
    expect('4*n' in text(browser, '.panel h2') and 'sectors by n' in text(browser, '.judged'), 'the stride is not known, and the table says what it costs')
    expect(browser.evaluate('document.querySelectorAll(".panel .lane").length') > 32, 'the lanes are drawn')
    browser.go('#source/0/28')
    expect('n % 8 == 0' in text(browser, '.judged'), 'the condition is said')
    browser.key('3')
    expect('fine if' in text(browser, '.rows'), 'the list has verdicts')
    expect(complaints(browser) == [], f'nothing is thrown, refused or loaded: {complaints(browser)}')
    browser.open(explained)
    expect(browser.evaluate('document.querySelectorAll(".find.open svg").length') == 2, 'explain draws the warp, and it after the fix')
    browser.evaluate("""{ const s = document.querySelector(".segl select"); s.value = 3; s.dispatchEvent(new Event("change", {bubbles: true})); 0 }""")
    browser.drawn()
    expect('2.0' in text(browser, '.meta'), 'explain has the architectures')
    expect(complaints(browser) == [], f'nothing is thrown, refused or loaded: {complaints(browser)}')


def each_architecture(browser):
    """The switch shows each architecture's pictures and what fixes are worth there."""
    browser.size(1280, 900)
    browser.open(page)
    browser.go('#source/0/32')
    gain = lambda: text(browser, '.panel .gain')
    first = gain()
    browser.click('.segl button:nth-child(2)')
    expect(text(browser, '.segl [aria-pressed=true]') == '3.5' and '32×' not in gain() and gain() != first, f'3.5 has 64-bit banks: {gain()!r}, not {first!r}')
    browser.click('.segl button:nth-child(3)')
    expect(gain() == first, f'7.0 gains what 9.0 does: {gain()!r}')


def long_list(browser):
    """Of a thousand rows only those in sight exist, wherever the list is scrolled to, each in its place."""
    browser.size(1280, 900)
    browser.open(long_page)
    browser.go('#accesses')
    rows = browser.evaluate('Number(document.querySelector("[role=table]").getAttribute("aria-rowcount")) - 1')
    expect(rows == 1000, f'{rows} rows')
    for part in (0, 0.5, 1):
        browser.evaluate(f'{{ const box = document.querySelector(".vt"); box.scrollTop = {part} * (box.scrollHeight - box.clientHeight); 0 }}')
        browser.drawn()
        drawn, gaps = browser.evaluate("""(() => {
          const seen = [...document.querySelectorAll(".rows .row")].map(r => [Number(r.ariaRowIndex), Math.round(r.getBoundingClientRect().top)]).sort((p, q) => p[0] - q[0]);
          const box = document.querySelector(".vt").getBoundingClientRect(), head = document.querySelector(".head").getBoundingClientRect().bottom;
          const covered = seen[0][1] <= head && seen.at(-1)[1] + 36 >= Math.min(box.bottom, document.querySelector(".rows").getBoundingClientRect().bottom) - 1;
          return [seen.length, covered && seen.every(([index, top], i) => i === 0 || (index === seen[i - 1][0] + 1 && top === seen[i - 1][1] + 36))];
        })()""")
        expect(drawn < 80 and gaps, f'at {part} there are {drawn} rows, one below the other: {gaps}')
    browser.key('j')
    browser.key('Enter')
    expect(browser.evaluate('location.hash').startswith('#source/0/'), 'j and Enter open a row')
    expect(complaints(browser) == [], f'nothing is thrown, refused or loaded: {complaints(browser)}')


def two_runs(browser):
    browser.size(1280, 900)
    browser.open(of_two)
    expect(browser.evaluate('document.querySelectorAll(".find").length') == 50, 'the first 50 kernels that changed')
    expect('+' in text(browser, '.find.open .changes tbody td:last-child'), 'what a kernel brings is added')
    browser.open(side_by_side)
    expect('equal' in text(browser, 'h1'), 'how many counts are equal')
    expect(complaints(browser) == [], f'nothing is thrown, refused or loaded: {complaints(browser)}')


def hostile_names(browser):
    browser.open(hostile)
    for fragment in ('#overview', '#accesses', '#source/0', '#access/0'):
        browser.go(fragment)
        expect(not browser.evaluate('window.hacked'), f'no markup of a name runs ({fragment})')
        expect(browser.evaluate('document.querySelectorAll("img,[onload],[onerror]").length') == 0, f'no name is markup ({fragment})')
    browser.go('#accesses')
    expect('onerror' in text(browser, '.rows'), 'the names are shown as they are')
    expect(complaints(browser) == [], f'nothing is thrown, refused or loaded: {complaints(browser)}')


def layouts(browser):
    axe = axe_file.read_text() if axe_file.exists() else None
    if axe is None:
        print("not looked at: accessibility ('npm --prefix web ci' was not run)")
    for width in (390, 768, 1280):
        for theme in ('light', 'dark'):
            browser.size(width, 900)
            browser.theme(theme)
            views = [(page, fragment) for fragment in ('#overview', '#source/0/32', '#accesses')]
            if width != 768:
                views += [(checked, '#overview'), (checked, '#source/0/22'), (explained, '#overview'), (of_two, ''), (side_by_side, '')]
            shown = None
            for file, fragment in views:
                if file != shown:
                    browser.open(file)
                shown = file
                browser.go(fragment)
                where = f'{file}{fragment}, {width} pixels, {theme}'
                expect(browser.evaluate('document.documentElement.dataset.theme') == theme, f'the theme is the system\'s: {where}')
                wide = browser.evaluate('document.documentElement.scrollWidth - innerWidth')
                expect(wide <= 0, f'it is {wide} pixels too wide: {where}')
                if axe:
                    browser.evaluate(axe + ';0')
                    found = browser.evaluate('axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations.map('
                                             'v => v.id + ": " + v.nodes.slice(0, 3).map(n => n.target.join(" ")).join("; ")))')
                    expect(found == [], f'axe finds {found}: {where}')


with Browser() as browser:
    views(browser)
    without_a_run(browser)
    each_architecture(browser)
    long_list(browser)
    two_runs(browser)
    hostile_names(browser)
    layouts(browser)
    browser.size(1280, 900)
    browser.open(page)
    browser.pdf('page.pdf')
    expect(pathlib.Path('page.pdf').stat().st_size > 10000, 'it prints')
sys.exit(1 if failures else 0)
