# The bundled examples that are named, or all: compiled by clang (with the CUDA toolkit hidden where the system lets us)
# and by nvcc where there is one, each checks its own results and exits with 0, every launch is exact, and the counters of
# both compilers' PTX agree.
. "$(dirname "$0")/common.sh"

# Without the right to hide a toolkit, clang is asked for.
compiler="--compiler clang"
hide() { "$@"; }
toolkit=$(readlink -f "${CUDA_HOME:-/usr/local/cuda}" || true)
mkdir empty
if ! command -v nvcc >/dev/null && [ ! -d "$toolkit" ]; then
  compiler=
elif [ -d "$toolkit" ] && unshare -m true 2>/dev/null; then
  hide() { unshare -m sh -c 'mount --bind "$1" "$2" && shift 2 && exec env -u WARPLENS_PTXAS "$@"' sh "$scratch/empty" "$toolkit" "$@"; }
  command -v nvcc >/dev/null || compiler=
fi
nvcc=$(command -v nvcc || echo "$toolkit/bin/nvcc")

totals() { # what is compared: what each kernel asked of each space
  json "$1" 'sorted({(l["name"], s["space"], s["op"], k): sum(m["count"] * (t[k] or 0) for m in r["launches"] if m["name"] == l["name"]
    for t in m["sites"] if t["space"] == s["space"] and t["op"] == s["op"])
    for l in r["launches"] for s in l["sites"] for k in ("requests", "sectors", "wavefronts") if s["instructions"]}.items())'
}
[ $# -gt 0 ] || set -- "$source_dir"/examples/*.cu
for example; do
  echo "$example"
  # shellcheck disable=SC2086
  run hide "$warplens" run $compiler --json clang.json "$example"
  expect_code 0
  expect_in stdout 'PASS'
  expect_json clang.json 'len(r["launches"]) > 0 and all(l["status"] == "exact" for l in r["launches"])' True
  expect_json clang.json 'sum(s["instructions"] for l in r["launches"] for s in l["sites"]) > 0' True
  expect_json clang.json '{l["predicted_from"] for l in r["launches"]}' "{'ptx'}"
  [ -n "$compiler" ] || expect_in stderr 'spills are not seen' # ptxas is hidden, too
  [ -x "$nvcc" ] || continue
  run env -u WARPLENS_PTXAS "$warplens" run --compiler nvcc --code ptx --json nvcc.json "$example"
  expect_code 0
  expect_not_in stderr 'spills are not seen'
  totals clang.json >clang
  totals nvcc.json >nvcc
  diff clang nvcc || fail "nvcc's counters (>) are not clang's (<)"
done
