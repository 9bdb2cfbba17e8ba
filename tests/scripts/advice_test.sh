# What the advice predicts is what its change costs, to the unit: pairs of kernels, before and after, three for each rule.
. "$(dirname "$0")/common.sh"
programs="$source_dir/tests/scripts/programs"
for program in "$programs"/advice*.cu; do
  run "$warplens" run --compiler clang --json "$(basename "$program" .cu).json" "$program"
  expect_code 0
done
python3 "$source_dir/tests/scripts/advice.py" . "$programs"/advice*.cu >stdout 2>stderr || fail "a prediction is wrong"

# A counter that goes up by 1 in shared memory is ranked by what hardware does, and what is written is said beside it.
run "$warplens" run --compiler clang --top-lines 0 --width 300 "$programs/advice_spread.cu"
expect_in stderr 'takes lanes of one word together, as the assembler makes it: 3.0[0-9]* as written'

# The comparison notices a wrong prediction, and a rule that is tried too seldom.
sed -i '0,/"after": \([0-9]*\)/s//"after": 1\1/' advice.json
! python3 "$source_dir/tests/scripts/advice.py" . "$programs"/advice*.cu >/dev/null || fail "a wrong prediction was not noticed"
! python3 "$source_dir/tests/scripts/advice.py" . "$programs/advice_rows.cu" >/dev/null || fail "missing pairs were not noticed"
