# What `check` predicts from the code alone is what the emulator counts after the change: the pairs of program.advice,
# and those of changes that only `check` proposes.
. "$(dirname "$0")/common.sh"
programs="$source_dir/tests/scripts/programs"
compared="advice advice_public advice_public_units advice_rows check_pairs"
sources=
for name in $compared; do
  sources="$sources $programs/$name.cu"
  run "$warplens" run --compiler clang --json "$name.json" "$programs/$name.cu"
  expect_code 0
  run "$warplens" check --compiler clang --no-config --fail-on never --findings "$name.check.json" "$programs/$name.cu"
  expect_code 0
done
python3 "$source_dir/tests/scripts/check_advice.py" . $sources >stdout 2>stderr || fail "a prediction is wrong"

# The comparison notices a wrong prediction.
sed -i '0,/"fixed": \([1-9][0-9.]*\)/s//"fixed": 0.5/' advice.check.json
! python3 "$source_dir/tests/scripts/check_advice.py" . $sources >/dev/null || fail "a wrong prediction was not noticed"
