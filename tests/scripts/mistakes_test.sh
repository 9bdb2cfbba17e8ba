# --check memory and race: reads of what nobody wrote, use after free, leaks and races, each with its line and the place of the
# allocation; with --strict they fail; without the option no more is said than of any run.
. "$(dirname "$0")/common.sh"
cp "$source_dir/tests/scripts/programs/mistakes.cu" .
line_of() { grep -n "$1" mistakes.cu | head -1 | cut -d: -f1; }
kinds='sorted(d["kind"] for l in r["launches"] for d in l["diagnostics"])'
said='"\n".join(" ".join([d["kind"], str(d["line"]), d["message"]] + d["notes"] + [d["help"]]) for d in
  [d for l in r["launches"] for d in l["diagnostics"]] + r["messages"])'
expect_said() { json report.json "$said" >said; expect_in said "$1"; }

compilers=clang
if command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; then compilers="clang nvcc"; fi
for compiler in $compilers; do
  run "$warplens" run --compiler "$compiler" --check memory,race --strict --json report.json mistakes.cu
  expect_code 1
  expect_json report.json "$kinds" "['memory-uninitialized', 'memory-uninitialized', 'memory-use-after-free', 'race-shared']"
  expect_said "memory-uninitialized $(line_of 'load of what') global memory is read that nobody wrote.* allocated at .*mistakes.cu:$(line_of 'set too late')"
  expect_said "memory-uninitialized $(line_of 'shared, unset') shared memory is read"
  expect_said "race-shared $(line_of 'no barrier') warp [01] reads shared memory that warp [01] writes.*mistakes.cu:$(line_of 'everybody writes')"
  expect_said "memory-use-after-free $(line_of 'after free') load of 4 bytes.* which was freed"
  expect_said "memory-leak .* 1000 bytes in 1 allocation were never freed .*mistakes.cu:$(line_of 'never freed')"
done

run "$warplens" run --compiler clang --strict --json report.json mistakes.cu
expect_code 0
expect_json report.json "$kinds" "['kernel-out-of-bounds']" # the freed memory, called as in any run
