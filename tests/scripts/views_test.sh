# The other views of a report, as whole commands: the source in its order with counts in the margin (--annotate), and sums
# by line, kernel, file and array (--group-by); of a run and of a saved one, on narrow and wide terminals.
. "$(dirname "$0")/common.sh"
cp "$source_dir/examples/transpose.cu" .
run "$warplens" run --compiler clang --json run.json --annotate transpose.cu
expect_code 0
cp stderr of_run

run "$warplens" report --annotate run.json
expect_code 0
# In the order of the file, each line with its number and its text; the worst is marked.
expect_in stdout '^> +78% +73\.7 k +│ 22   out\[x \* n \+ y\] = in'
expect_in stdout '^> +22% +8192 +65\.5 k │ 32   out\['
expect_in stdout '│ 29   __syncthreads\(\);'
sed -n 's/^.*│ \([0-9][0-9]*\) .*/\1/p' stdout >numbers
sort -n -c numbers || fail "lines are not in their order"
sed -n '/│/p' stdout >saved
sed -n '/│/p' of_run >fresh
cmp -s saved fresh || fail "the saved run is annotated otherwise than the run was"
for width in 60 80 200; do
  run "$warplens" report --annotate --width $width run.json
  expect_code 0
  LC_ALL=C.UTF-8 grep -nE "^.{$((width + 1)),}$" stdout >wide || true
  expect_empty wide
done
# Without the source the report's own lines are there.
mv transpose.cu gone.cu
run "$warplens" report --annotate run.json
expect_code 0
expect_in stdout '│ 22 +out\[x'
mv gone.cu transpose.cu

# Groups: each access is in one, so that the shares add up to all.
for by in line kernel file array; do
  run "$warplens" report --group-by $by --top-lines 0 run.json
  expect_code 0
  expect_in stdout "^  waste +for nothing +sectors +wavefr\.  $by$"
  shares=$(sed -n '/  waste  /,$s/^ *\([0-9]*\)% .*/\1/p' stdout | awk '{ sum += $1 } END { print sum }')
  [ "$shares" -ge 98 ] && [ "$shares" -le 102 ] || fail "by $by the shares are $shares%"
done
expect_in stdout '78% .*  out of transpose_naive$'
run "$warplens" report --group-by file run.json
expect_in stdout '100% .*  transpose\.cu \(3 kernels\)$'
run "$warplens" run --compiler clang --group-by kernel transpose.cu
expect_code 0
expect_in stderr '78% .*  transpose_naive$'
run "$warplens" report --group-by warp run.json
expect_code 2
expect_in stderr 'line, ?kernel, ?file, ?array'
