# '-' as the file of an option: standard output then has that one document and nothing else, of every command, whatever else is
# said and whatever the program prints; two documents cannot both go there.
. "$(dirname "$0")/common.sh"
cp "$source_dir/examples/transpose.cu" .
"$warplens" run --compiler clang --json run.json transpose.cu >/dev/null 2>&1 || fail "transpose.cu does not run"
python3 -c 'import json
print(json.dumps({"id": 1, "space": "global", "op": "load", "bytes": 4, "mask": "0xffffffff", "addresses": [8 * i for i in range(32)]}))' >trace.jsonl

# only KIND COMMAND…: standard output is one whole document of that kind
only() {
  kind=$1
  shift
  run "$warplens" "$@"
  python3 - "$kind" <<'X' || fail "warplens $*: standard output is not $kind alone: $(head -c 200 stdout)"
import json, sys, xml.dom.minidom
text = open('stdout', encoding='utf-8').read()
if sys.argv[1] == 'json':
    json.loads(text)
elif sys.argv[1] == 'lines':
    [json.loads(line) for line in text.splitlines()]
elif sys.argv[1] == 'svg':
    xml.dom.minidom.parseString(text)
else:
    assert text.startswith('<!doctype html>') and text.endswith('</html>\n') and text.count('<!doctype') == 1
X
  [ -s stdout ] || fail "warplens $*: nothing is printed"
}
only html run --compiler clang --html - transpose.cu
expect_in stderr '^transpose: PASS' # the program's own words
only json run --compiler clang --json - transpose.cu
only json run --compiler clang --sarif - --github transpose.cu
only html check --compiler clang --html - --all --github transpose.cu
only json check --compiler clang --verdicts - --all transpose.cu
only json check --compiler clang --json transpose.cu
only html explain --html - 'A[threadIdx.x]'
only json explain --json 'A[threadIdx.x]'
only svg explain --svg - 'A[threadIdx.x]'
only html explain --html - --svg drawing.svg --if 'threadIdx.x > 99' 'A[threadIdx.x]'
only svg explain --svg - --case permuted-1.0
only html replay --html - trace.jsonl
only lines replay --json --html page.html trace.jsonl
only html report --html - run.json
only json report --json - --html page.html run.json
for form in json html; do
  only $form diff --$form - run.json transpose.cu --compiler clang
  expect_in stderr '^transpose: PASS'
  only $form compare --$form - run.json transpose.cu
  expect_in stderr '^transpose: PASS'
done

# both COMMAND…: refused, and nothing is printed
both() {
  run "$warplens" "$@"
  expect_code 2
  expect_in stderr "would both write '-'"
  expect_empty stdout
}
both run --compiler clang --json - --html - transpose.cu
both check --compiler clang --json --html - transpose.cu
both check --compiler clang --verdicts - --html - transpose.cu
both check --compiler clang --fix-dry-run --html - transpose.cu
both explain --json --html - 'A[threadIdx.x]'
both explain --svg - --html - 'A[threadIdx.x]'
both replay --json --html - trace.jsonl
both report --json - --html - run.json
both diff --json - --html - run.json run.json
both compare --json - --html - run.json run.json
