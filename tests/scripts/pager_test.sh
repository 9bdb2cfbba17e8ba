# Long reports on a terminal go to the pager, short ones do not; the first screen holds the answer whatever its size.
. "$(dirname "$0")/common.sh"
python3 -c 'import pty' 2>/dev/null || skip "python3 has no pty"
unset PAGER LESS COLUMNS || true
on_terminal() { # ROWS COLUMNS COMMAND…
  run python3 "$source_dir/tests/scripts/terminal_size.py" "$@"
}
# One kernel, and many.
cat >many.py <<'PY'
import sys
count = int(sys.argv[1])
print("\n".join(f"__global__ void kernel_number_{i}(float* out, const float* in) {{ out[threadIdx.x * {2 + i % 30}] = in[threadIdx.x]; }}" for i in range(count)))
print("int main() {\n  float *a, *b;\n  cudaMalloc(&a, 1 << 16);\n  cudaMalloc(&b, 1 << 16);\n  cudaMemset(b, 0, 1 << 16);")
print("\n".join(f"  kernel_number_{i}<<<1, 128>>>(a, b);" for i in range(count)))
print("  return cudaDeviceSynchronize() != cudaSuccess;\n}")
PY
for count in 1 500; do
  python3 many.py $count >kernels$count.cu
  run "$warplens" run --compiler clang --json $count.json kernels$count.cu
  expect_code 0
done

# As wide as the terminal and no wider, the worst line on the first screen.
for columns in 60 80 200; do
  for count in 1 500; do
    on_terminal 50 $columns "$warplens" report --no-pager --color never $count.json
    expect_code 0
    LC_ALL=C.UTF-8 grep -nE "^.{$((columns + 1)),}$" stdout >wide || true
    expect_empty wide
    sed -n 1,20p stdout >screen
    expect_in screen 'kernels?, '
    expect_in screen '^ 1\. .*of the waste'
    expect_in screen 'Change: '
    [ "$(wc -l <stdout)" -lt 200 ] || fail "$count kernels take $(wc -l <stdout) lines"
  done
done

# The pager: what PAGER says.
on_terminal 20 80 env PAGER='cat >paged; echo end' "$warplens" report 500.json
expect_code 0
expect_in stdout '^end$'
[ "$(wc -l <stdout)" = 1 ] || fail "the report went to the terminal, too"
expect_in paged 'of the waste'
expect_in paged "$(printf '\033')\\[1m" # it is for a terminal, and has colours
on_terminal 200 80 env PAGER='echo paged' "$warplens" report 1.json
expect_not_in stdout '^paged$' # it fits
expect_in stdout 'of the waste'
for words in "env PAGER= $warplens report 500.json" "env PAGER=cat $warplens report 500.json" \
  "env PAGER=no-such-pager $warplens report 500.json" "env PAGER=false $warplens report --no-pager 500.json"; do
  on_terminal 20 80 $words
  expect_code 0
  expect_in stdout 'of the waste'
done
# `run` has its report on standard error; a pager that is left early is no failure.
on_terminal 20 80 env PAGER='cat >paged' "$warplens" run --compiler clang --no-progress kernels500.cu
expect_code 0
expect_in paged 'of the waste'
on_terminal 10 80 env PAGER='head -n 1' "$warplens" report --top 0 500.json
expect_code 0
expect_in stdout 'WarpLens: 500 kernels'
# Nothing is paged where there is no terminal.
run env PAGER='echo paged' "$warplens" report 500.json
expect_not_in stdout '^paged$'
