# Asynchronous copies, ldmatrix and mma.sync in a program: that its result is right, and what is counted of them.
. "$(dirname "$0")/common.sh"
program="$source_dir/tests/scripts/programs/tensor.cu"

# total OPCODE SPACE: of all its sites there, how often they ran, their sectors, wavefronts and ideal wavefronts.
expect_total() { # OPCODE SPACE TOTAL
  expect_json report.json "[sum(s[n] or 0 for l in r['launches'] for s in l['sites'] if s['ptx'].startswith('$1') and s['space'] == '$2')
    for n in ('instructions', 'sectors', 'wavefronts', 'ideal_wavefronts')]" "$3"
}
# 8 blocks of 4 warps, 4 steps. A step's tile of A is copied by one warp, 16 rows of 32 bytes that lie 128 bytes apart: 16 sectors,
# and in each quarter-warp 4 lanes want the same banks. B: two warps, 8 rows of 64 bytes each: 16 sectors, 2 lanes a bank.
# What the copies write to shared memory is an access of its own, of the same passes, none of which is one too many past the L1.
# All warps load both: 4 matrices of A, whose rows lie 32 bytes apart and go twice around the banks; 2 of B, 64 bytes, four times.
expect_matrices() {
  expect_code 0
  expect_in stdout 'every element is right'
  expect_total cp.async global "[96, 1536, 1024, 384]"
  expect_total cp.async shared "[96, 0, 1024, 1024]"
  expect_total ldmatrix.sync.aligned.m8n8.x4 shared "[128, 0, 1024, 512]"
  expect_total ldmatrix.sync.aligned.m8n8.x2 shared "[128, 0, 1024, 256]"
}
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if [ -x "$nvcc" ]; then
  "$nvcc" -lineinfo -gencode arch=compute_80,code=compute_80 "$program" -o tensor
  run "$warplens" run --json report.json ./tensor
  expect_matrices

  # 8 warps; the last copies with three instructions of the headers: 26 threads 16 bytes each, one 4 bytes, 5 only zeros. The
  # tiles: 8 warps, 4 bytes a lane.
  "$nvcc" -lineinfo -gencode arch=compute_80,code=compute_80 "$source_dir/tests/scripts/programs/copies.cu" -o copies
  run "$warplens" run --memory=strict --json report.json ./copies
  expect_code 0
  expect_in stdout 'every sum is right'
  expect_json report.json "[(sum(s['instructions'] for s in sites), sum(s['threads'] for s in sites), sum(s['sectors'] for s in sites))
    for width in (16, 4) for sites in [[s for l in r['launches'] for s in l['sites'] if s['op'] == 'async_copy' and s['space'] == 'global' and s['bytes'] == width]]]" \
    '[(10, 256, 126), (8, 256, 32)]'
fi
run "$warplens" run --compiler clang --json report.json "$program"
expect_matrices
