# The outputs that the documents show are what the commands print. The site is built of the same pages, has all of them, finds
# words in them, and is light or dark as the reader's system is (where mkdocs and Chromium are).
. "$(dirname "$0")/common.sh"
run python3 "$source_dir/scripts/documents.py" "$warplens" --check
expect_code 0
cp -r "$source_dir/docs" "$source_dir/scripts" "$source_dir/README.md" .
sed -i 's/^74% of/75% of/' docs/learn/first-report.md
run python3 scripts/documents.py "$warplens" --check
expect_code 1 # its own root has no examples: nothing that is shown is what is printed
expect_in stdout 'first-report.md: \$ warplens run examples/matmul.cu'

command -v mkdocs >/dev/null || skip "mkdocs is not installed: the site was not built"
run sh scripts/site.sh
expect_code 0
pages=$(find docs -name '*.md' | wc -l)
[ "$(find build/site -name '*.html' ! -name 404.html | wc -l)" = "$pages" ] || fail "not every page is in the site"
cat >look.py <<'PY'
import http.server, pathlib, sys, threading, time
sys.path.insert(0, sys.argv[1])
import browser
if not browser.find():
    sys.exit(77)
class Quiet(http.server.SimpleHTTPRequestHandler):
    def __init__(self, *a): super().__init__(*a, directory='build/site')
    def log_message(self, *a): pass
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Quiet)
threading.Thread(target=server.serve_forever, daemon=True).start()
with browser.Browser() as b:
    colours = []
    for theme in ('light', 'dark'):
        b.size(1280, 900)
        b.theme(theme)
        b.call('Page.navigate', url=f'http://127.0.0.1:{server.server_port}/index.html')
        for _ in range(300):
            time.sleep(0.1)
            if b.evaluate('document.readyState') == 'complete' and b.evaluate('location.protocol') == 'http:':
                break
        time.sleep(1)
        colours.append(b.evaluate('getComputedStyle(document.body).backgroundColor'))
        b.evaluate('localStorage.clear()') # the choice is kept, the system's too
    assert colours[0] != colours[1], colours
    b.evaluate('const q = document.querySelector("[data-md-component=search-query]"); q.focus(); q.value = "bank conflict"; q.dispatchEvent(new Event("keyup")); 1')
    for _ in range(300):
        time.sleep(0.1)
        found = b.evaluate('[...document.querySelectorAll(".md-search-result__link")].map(a => a.getAttribute("href")).join(" ")')
        if found:
            break
    assert 'glossary' in found or 'transpose' in found, found
    failed = [e for e in b.events if e['method'] == 'Network.loadingFailed']
    assert not failed, failed
PY
code=0
python3 look.py "$source_dir/tests/scripts" >stdout 2>stderr || code=$?
[ "$code" = 77 ] && skip "no Chromium: the site was built, and not looked at"
expect_code 0
