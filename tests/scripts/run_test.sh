# The main job: the program's own output, arguments, input and exit code pass through; the report goes to stderr, or as
# JSON to a file, with the counts that the kernel must have; a broken pipe and NO_COLOR are respected.
. "$(dirname "$0")/common.sh"
program="$source_dir/tests/scripts/programs/scale.cu"

run "$warplens" run --compiler clang --json report.json "$program" word
expect_code 0
[ "$(cat stdout)" = "6 6138 word" ] || fail "the program's output changed"
expect_in stderr 'scale'
expect_not_in stderr "$(printf '\033')"
expect_json report.json 'r["schema"], r["target"]["sm"]' '(1, 90)'
expect_json report.json '[(l["status"], l["grid"], l["block"]) for l in r["launches"]]' "[('exact', [4, 1, 1], [256, 1, 1]), ('exact', [4, 1, 1], [256, 1, 1])]"
expect_json report.json 'sorted((s["op"], s["line"], s["bytes"], s["instructions"], s["threads"], s["requests"], s["tags"], s["sectors"], s["ideal_sectors"]) for s in r["launches"][0]["sites"])' \
  "[('load', 6, 4, 32, 1024, 32, 32, 128, 128), ('store', 6, 4, 32, 1024, 32, 32, 128, 128)]"

run "$warplens" run --compiler clang "$program" word exit
expect_code 7

run "$warplens" run --compiler clang --json - "$program" word
expect_code 0
cp stdout only.json
expect_json only.json 'len(r["launches"])' 2
expect_in stderr '^6 6138 word$'

code=0
{ "$warplens" run --compiler clang --json - "$program" word 2>stderr || echo $? >code_of_run; } | head -c 1 >/dev/null
[ ! -e code_of_run ] || [ "$(cat code_of_run)" = 0 ] || [ "$(cat code_of_run)" = 141 ] || fail "a broken pipe gave $(cat code_of_run)"
expect_not_in stderr '[Ee]rror'
