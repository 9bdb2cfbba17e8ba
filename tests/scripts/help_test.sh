# The help of every command, word for word. WARPLENS_REBASE=1 rewrites the golden documents.
. "$(dirname "$0")/common.sh"
golden="$source_dir/tests/scripts/data"
check() {
  [ "${WARPLENS_REBASE:-}" != 1 ] || cp stdout "$golden/$1"
  diff -u "$golden/$1" stdout >difference || { cat difference; fail "$1 differs; if that is meant: WARPLENS_REBASE=1 ctest -R program.help"; }
}

run "$warplens" --help
expect_code 0
check help.txt
for command in run report diff import compare record check replay explain gpus rules lsp mcp doctor completion man; do
  run "$warplens" "$command" --help
  expect_code 0
  check "help_$command.txt"
done

run "$warplens" --version
expect_code 0
expect_in stdout '^warplens [0-9]+\.[0-9]+\.[0-9]+$'
run "$warplens" no_such_command
expect_code 2
run "$warplens"
expect_code 2

# Lines fit a terminal; what is mistyped is guessed.
run grep -nE '^.{90}' "$golden"/help*.txt # "…" is three bytes
expect_empty stdout
suggests() {
  expect_code 2
  expect_in stderr "did you mean .$1"
}
run "$warplens" rnu
suggests 'warplens run'
touch program.cu
run "$warplens" program.cu
suggests 'warplens run program.cu'
run "$warplens" run --detials program.cu
suggests '--details'
run "$warplens" run --count-only program.cu # what other tools call it
expect_in stderr "help: '--no-results' does that"
run "$warplens" run --launch-count=3 program.cu
expect_in stderr "help: '--launches' does that"
run "$warplens" run -k gemm program.cu
expect_in stderr "help: '--kernel' does that"
run "$warplens" run --import report.ncu-rep
expect_in stderr 'help: `warplens import FILE` reads what Nsight Compute wrote'
run "$warplens" check -Iinclude program.cu
expect_in stderr 'help: options of the compiler are given as one'
run "$warplens" check --update-baseline known.json program.cu
expect_in stderr "help: '--write-baseline' does that"
run "$warplens" check --timeout 10 program.cu
expect_in stderr 'help: bound it from outside: timeout 60 warplens check'
run "$warplens" replay --jsn file
suggests '--json'
run "$warplens" explain --sm h100 'A[threadIdx.x]'
expect_code 0
run "$warplens" explain --set i=threadIdx.x 'A[i'
expect_code 2
expect_in stderr '^expression:1:4:'
