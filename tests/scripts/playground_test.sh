# The playground: its WebAssembly answers as the native code does, and its page does what a reader, a teacher and a keyboard ask.
. "$(dirname "$0")/common.sh"

module="$WARPLENS_BUILD_DIR/playground/playground.wasm" page="$WARPLENS_BUILD_DIR/playground/playground.html"
[ -f "$page" ] || skip "the playground was not built: the packages of cmake/playground.cmake are missing"
command -v node >/dev/null || skip "there is no node"

node "$source_dir/tests/scripts/playground_parity.mjs" "$module" "$WARPLENS_BUILD_DIR/playground_answers" 10000 \
  "$source_dir"/web/src/playground/samples/*.ptx || fail "the module answers otherwise"

# As sent by a web server, which compresses; and as a file.
bytes=$(stat -c %s "$page")
[ "$bytes" -lt 2000000 ] || fail "the page has grown to $bytes bytes"

python3 -c 'import sys; sys.path.insert(0, sys.argv[1]); import browser; sys.exit(browser.find() is None)' \
  "$source_dir/tests/scripts" || skip "there is no Chromium: apt-get install chromium; the answers have been compared"
python3 "$source_dir/tests/scripts/playground_browser.py" "$source_dir" "$page" || fail "the page does not do what it should"
