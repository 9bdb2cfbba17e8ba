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

# --color says otherwise, wherever the output goes; COLUMNS and --width say how wide it is.
run "$warplens" run --compiler clang --color always scale.cu word
expect_in stderr "$colour"
run "$warplens" explain --color always 'A[threadIdx.x]'
expect_in stdout "$colour"
run script -qec "'$warplens' run --compiler clang --color=never scale.cu word" /dev/null
expect_not_in stdout "$colour"
run "$warplens" run --compiler clang --color sometimes scale.cu word
expect_code 2
for words in "env COLUMNS=120 '$warplens' run" "'$warplens' run --width 120"; do
  echo "$words --compiler clang scale.cu word" >command.sh
  run sh command.sh
  expect_in stderr '^.{81,120}$'
  expect_not_in stderr '^.{121,}$'
done
