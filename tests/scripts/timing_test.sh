# Accesses that depend on timing are marked, with the reason, and are in no total.
. "$(dirname "$0")/common.sh"
program="$source_dir/tests/scripts/programs/timing.cu"
run "$warplens" run --compiler clang --strict --json report.json "$program"
expect_code 0
expect_in stdout '^cudaSuccess$'
labels='sorted(a["op"] + " " + a.get("timing_dependent", "-") for k in r["kernels"] if k["name"].startswith(NAME) for a in k["accesses"])'
labels_of() { printf '%s' "$labels" | sed "s/NAME/'$1('/"; }
expect_json report.json "$(labels_of locked)" "['atomic -', 'atomic spin', 'load -', 'store -']"
expect_json report.json "$(labels_of waits)" "['load spin', 'store -', 'store -']"
expect_json report.json "$(labels_of retries)" "['atomic retry', 'load -']"
expect_json report.json "$(labels_of compacts)" "['atomic -', 'load -', 'store race']"
expect_json report.json "$(labels_of counts)" "['atomic -', 'load -']"
expect_json report.json 'r["complete"]' True
# What is left of a kernel's total does not change from run to run, whatever its waiting loops do.
expect_json report.json 'sum(k["moved_bytes"] for k in r["kernels"] if k["name"].startswith("retries("))' 256
tr '\n' ' ' <stderr >words
expect_in words 'exact but for 4 accesses +that depend on timing'
expect_in stderr 'depends on timing'

run "$warplens" run --compiler clang --details "$program"
tr -s '\n ' ' ' <stderr >words
expect_in words 'depends on timing: it is in a loop that waits for other threads'
expect_in words 'depends on timing: it is repeated until no other thread comes between'
expect_in words 'depends on timing: it follows from which thread came first'
