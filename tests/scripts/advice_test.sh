# What the advice predicts is what its change costs, to the unit: pairs of kernels, before and after.
. "$(dirname "$0")/common.sh"
program="$source_dir/tests/scripts/programs/advice.cu"
run "$warplens" run --compiler clang --json report.json "$program"
expect_code 0
python3 "$source_dir/tests/scripts/advice.py" report.json "$program" >stdout 2>stderr || fail "a prediction is wrong"
