# Every bundled example, compiled by clang with the CUDA toolkit hidden where the system lets us: it checks its own
# results and exits with 0, every launch is exact, and something was counted.
. "$(dirname "$0")/common.sh"
ls "$source_dir"/examples/*.cu >/dev/null 2>&1 || skip "no examples"

hide() { "$@"; }
toolkit=$(readlink -f "${CUDA_HOME:-/usr/local/cuda}")
mkdir empty
if [ -d "$toolkit" ] && unshare -m true 2>/dev/null; then
  hide() { unshare -m sh -c 'mount --bind "$1" "$2" && shift 2 && exec "$@"' sh "$scratch/empty" "$toolkit" "$@"; }
fi

for example in "$source_dir"/examples/*.cu; do
  echo "$example"
  run hide "$warplens" run --compiler clang --json report.json "$example"
  expect_code 0
  expect_json report.json 'len(r["launches"]) > 0 and all(l["status"] == "exact" for l in r["launches"])' True
  expect_json report.json 'sum(s["instructions"] for l in r["launches"] for s in l["sites"]) > 0' True
done
