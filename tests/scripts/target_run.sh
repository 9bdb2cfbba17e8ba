# TARGET: a whole run on one instruction set. The program's results and every count are those of the processor's own
# choice; where it lacks the target, `warplens` says so and this is skipped.
. "$(dirname "$0")/common.sh"
target=$1
program="$source_dir/examples/reduction.cu"

WARPLENS_TARGET=$target run "$warplens" gpus
if [ "$code" = 2 ] && grep -q 'this processor cannot run' stderr; then skip "$(cat stderr)"; fi
expect_code 0

counted() { json "$1" '[{k: v for k, v in l.items() if k != "seconds"} for l in r["launches"]]'; }
run "$warplens" run --compiler clang --json own.json "$program"
expect_code 0
mv stdout own.out
WARPLENS_TARGET=$target run "$warplens" run --compiler clang --json target.json "$program"
expect_code 0
expect_in stdout 'PASS'
diff own.out stdout || fail "the program printed something else"
counted own.json >own
counted target.json >on_target
diff own on_target || fail "counts differ"
