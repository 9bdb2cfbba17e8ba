# --nvtx-include and --nvtx-exclude count the launches that they name; the others run. --nvtx tells ranges apart.
. "$(dirname "$0")/common.sh"
cp "$source_dir/tests/scripts/programs/nvtx.cu" .
counted() { # EXPECTED OPTIONS…
  expected=$1
  shift
  run "$warplens" run "$@"
  expect_code 0
  expect_in stdout '^[13]$'
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
  expect_in stderr 'launches were in: phase, phase/inner, whole'
  # With --nvtx a kernel of two ranges is two.
  counted "k0 k1 k2 k3 k1" --json r.json --group-by range "$@" again
  expect_json r.json '" ".join(l.get("range", "-") for l in r["launches"])' "- phase phase/inner whole again"
  expect_in stderr '128 B .* phase/inner$'
  run "$warplens" report --lines r.json
  expect_in stdout '^k1 in again$'
  expect_in stdout '^k1 in phase$'
  run "$warplens" diff r.json r.json
  expect_code 0
  counted "k0 k1 k2 k3" --json r.json "$@" again
  expect_json r.json 'any("range" in l for l in r["launches"])' False
}
try --compiler clang --compile-options -DHANDSHAKE nvtx.cu
if command -v nvcc >/dev/null && nvcc -lineinfo -arch=sm_90 -o nvtx nvtx.cu -ldl 2>nvcc.log; then try ./nvtx; fi
