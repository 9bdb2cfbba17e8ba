# Colour is one decision for all commands: on a terminal, unless NO_COLOR is set and not empty (no-color.org).
. "$(dirname "$0")/common.sh"
script -qec true /dev/null >/dev/null 2>&1 || skip "there is no script(1) to make a terminal"
cp "$source_dir/tests/scripts/programs/scale.cu" scale.cu
echo 'no pattern' >bad.jsonl
colour="$(printf '\033')\\[[0-9;]*m"

for command in "explain 'A[threadIdx.x]'" "replay bad.jsonl" "run --compiler clang scale.cu word"; do
  run script -qec "'$warplens' $command" /dev/null
  expect_in stdout "$colour"
  run env NO_COLOR= script -qec "'$warplens' $command" /dev/null
  expect_in stdout "$colour"
  run env NO_COLOR=1 script -qec "'$warplens' $command" /dev/null
  expect_not_in stdout "$colour"
  [ -s stdout ] || fail "nothing was said by: $command"
  echo "'$warplens' $command" >command.sh
  run sh command.sh
  expect_not_in stdout "$colour"
  expect_not_in stderr "$colour"
done
