# A saved run is shown again as run showed it, in every form; several are one; an output is never the input; launches that
# are alike are in it once.
. "$(dirname "$0")/common.sh"
program="$source_dir/tests/scripts/programs/launches.cu"

run "$warplens" run --compiler clang --json run.json --report run.txt --details --top 1 "$program" many 3
expect_code 0
expect_json run.json '[(l["index"], l["count"], l["occurrences"]) for l in r["launches"]]' \
  "[(0, 3, [{'process': 0, 'first': 0, 'count': 3, 'step': 1}])]"

run "$warplens" report run.json --details --top 1
expect_code 0
expect_empty stderr
cmp stdout run.txt || fail "the text is not what run wrote"
run "$warplens" report run.json --json again.json --report again.txt --details --top 1
expect_code 0
expect_empty stdout
cmp again.json run.json || fail "the JSON is not what run wrote"
cmp again.txt run.txt || fail "the text is not what run wrote"
run "$warplens" report - --json - <run.json
expect_code 2 # run() gives no input
"$warplens" report - --json - <run.json | cmp - run.json || fail "standard input is not read"


run "$warplens" report run.json run.json --json both.json
expect_code 0
expect_json both.json '[(l["count"], len(l["occurrences"])) for l in r["launches"]]' '[(6, 2)]'
run "$warplens" report both.json --kernel touch --json only.json
expect_code 0
expect_json only.json 'len(indices(r)), r["filtered_out"]' '(6, 0)'
run "$warplens" report both.json --kernel nothing_like_it --strict
expect_code 1
run "$warplens" report both.json --kernel '('
expect_code 2
expect_in stderr 'not a regular expression'
run "$warplens" report absent.json
expect_code 2
expect_in stderr "'absent.json' does not exist"
run "$warplens" report "$program"
expect_code 2
expect_in stderr 'this is not JSON'

cp run.json kept.json
for stream in '>>' '2>>'; do
  code=0
  eval '"$warplens" report run.json '"$stream"' run.json' >stdout 2>stderr || code=$?
  expect_code 2
done
sed -i '/^warplens: error: the output would go into/,$d' run.json # what went there is the message itself
cmp run.json kept.json || fail "the input was written to"
for option in --json --report; do
  run "$warplens" report kept.json $option ./kept.json
  expect_code 2
  expect_in stderr "$option would write over"
done
cmp kept.json again.json || fail "the input was written over"
