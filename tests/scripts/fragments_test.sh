# wmma in a program: that its result is right, and that what is counted of it is what ptxas makes of it.
. "$(dirname "$0")/common.sh"
program="$source_dir/tests/scripts/programs/fragments.cu"

# total OPCODE: of all its sites, how often they ran, their sectors, wavefronts and ideal wavefronts.
expect_total() { # OPCODE TOTAL
  expect_json report.json "[sum(s[n] or 0 for l in r['launches'] for s in l['sites'] if s['ptx'].startswith('$1'))
    for n in ('instructions', 'sectors', 'wavefronts', 'ideal_wavefronts')]" "$2"
}
# 4 warps, 2 steps. A: 4 loads of 4 bytes a lane, each 8 rows of 16 bytes, 64 bytes apart: 8 sectors. B: ldmatrix x4, whose rows
# lie 80 bytes apart, free of conflicts. C and D: 4 accesses of 8 bytes a lane, each 8 rows of 32 bytes.
expect_fragments() {
  expect_code 0
  expect_in stdout 'every element is right'
  expect_total wmma.load.a "[32, 256, 0, 0]"
  expect_total wmma.load.b "[8, 0, 32, 32]"
  expect_total wmma.load.c "[16, 128, 0, 0]"
  expect_total wmma.store.d "[16, 128, 0, 0]"
}
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if [ -x "$nvcc" ]; then
  "$nvcc" -lineinfo -gencode arch=compute_80,code=compute_80 "$program" -o fragments
  run "$warplens" run --json report.json ./fragments
  expect_fragments
fi
run "$warplens" run --compiler clang --json report.json "$program"
expect_fragments
