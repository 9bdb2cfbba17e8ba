# Known numbers, whole: the gather of Carl Pearson, "Measuring Memory Access Efficiency in Nsight Compute", against the
# counts that he gives, and, shuffled, against a brute-force count of the same index array.
. "$(dirname "$0")/common.sh"
compilers=clang
if command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; then compilers="clang nvcc"; fi

cat >expected.py <<'PY'
# (instructions, tags, sectors) of one access for each launch of examples/gather.cu: floats and doubles, in order, then
# shuffled by the generator that the example describes.
def count(indices, size):
    warps = [indices[i:i + 32] for i in range(0, len(indices), 32)]
    distinct = lambda unit: sum(len({index * size // unit for index in warp}) for warp in warps)
    return len(warps), distinct(128), distinct(32)
order, shuffled, state = list(range(10000)), list(range(10000)), 42
for i in range(9999, 0, -1):
    state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
    j = (state >> 32) % (i + 1)
    shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
assert count(order, 4) == (313, 313, 1250) and count(order, 8) == (313, 625, 2500)
print([count(indices, size) for indices in (order, shuffled) for size in (4, 8)])
PY
expected=$(python3 expected.py)

line=$(grep -n 'value = p\[index\]' "$source_dir/examples/gather.cu" | cut -d: -f1)
for compiler in $compilers; do
  run "$warplens" run --compiler "$compiler" --json report.json "$source_dir/examples/gather.cu"
  expect_code 0
  expect_json report.json "[(s['instructions'], s['tags'], s['sectors']) for l in r['launches'] for s in l['sites'] if s['line'] == $line and s['op'] == 'load']" "$expected"
done
