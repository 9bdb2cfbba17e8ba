# --nvtx-include and --nvtx-exclude count the launches that they name; the others run.
. "$(dirname "$0")/common.sh"
cp "$source_dir/tests/scripts/programs/nvtx.cu" .
counted() { # EXPECTED OPTIONS…
  expected=$1
  shift
  run "$warplens" run "$@"
  expect_code 0
  expect_in stdout '^3$'
  expect_json r.json '" ".join(l["name"].split("(")[0] for l in r["launches"])' "$expected"
}
try() { # how the program is given
  counted "k0 k1 k2 k3" --json r.json "$@"
  counted "k1 k2" --json r.json --nvtx-include phase/ "$@"
  expect_in stderr '2 launches ran without being counted'
  counted "k2" --json r.json --nvtx-include phase/inner "$@"
  counted "k3" --json r.json --nvtx-include whole "$@"
  counted "k2 k3" --json r.json --nvtx-include inner] --nvtx-include whole "$@"
  counted "k0 k3" --json r.json --nvtx-exclude phase/ "$@"
  counted "k1" --json r.json --nvtx-include phase/ --nvtx-exclude inner/ "$@"
  counted "" --json r.json --nvtx-include phase "$@"
  expect_in stderr "write 'phase/' for an NVTX range"
}
try --compiler clang --compile-options -DHANDSHAKE nvtx.cu
if command -v nvcc >/dev/null && nvcc -lineinfo -arch=sm_90 -o nvtx nvtx.cu -ldl 2>nvcc.log; then try ./nvtx; fi
