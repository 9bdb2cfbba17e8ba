# Programs that compile kernels while they run. With the toolkit's NVRTC for one GPU: the machine code that they load is counted,
# by source line. Without a toolkit (hidden here where there is one) clang does it: the same results, codes of errors and lowered
# names, which nvrtc_api.txt has as NVRTC 13.0 gave them, and the same counts.
. "$(dirname "$0")/common.sh"
toolkit=$(readlink -f "${CUDA_HOME:-/usr/local/cuda}" || true)
programs=$source_dir/tests/scripts/programs
g++ -O1 "$programs/nvrtc_api.cpp" -o nvrtc_api -ldl
sites='[(s["file"].split("/")[-1], s["line"], s["op"], s["sectors"]) for l in r["launches"] for s in l["sites"]]'
counted="[('add_one.cu', 3, 'load', 63), ('add_one.cu', 3, 'store', 63)]"

if [ -e "$toolkit/include/nvrtc.h" ] && [ -e "$toolkit/lib64/libnvrtc.so.13" ]; then
  g++ -I"$toolkit/include" "$programs/nvrtc.cpp" -o nvrtc -L"$toolkit/lib64" -L"$toolkit/lib64/stubs" \
    -Wl,-rpath,"$toolkit/lib64" -lnvrtc -lcuda
  run "$warplens" run --json report.json ./nvrtc
  expect_code 0
  expect_in stdout '^every element is 2$'
  expect_json report.json "$sites" "$counted"
  expect_json report.json '[d["kind"] for d in r["messages"] if d["kind"].startswith("nvrtc")]' '[]' # the toolkit's was used

  ./nvrtc_api "$toolkit/lib64/libnvrtc.so.13" | cmp - "$programs/nvrtc_api.txt" || fail "NVRTC itself answers otherwise"
fi

hide() { "$@"; }
mkdir empty
if [ -d "$toolkit" ]; then
  unshare -m true 2>/dev/null || skip "the toolkit cannot be hidden: NVRTC without one was not tried"
  hide() { unshare -m sh -c 'mount --bind "$1" "$2" && shift 2 && exec "$@"' sh "$scratch/empty" "$toolkit" "$@"; }
fi
command -v clang-19 >/dev/null || command -v clang >/dev/null || skip "no clang"

run hide "$warplens" run ./nvrtc_api libnvrtc.so.13
cmp stdout "$programs/nvrtc_api.txt" || fail "without NVRTC: $(diff stdout "$programs/nvrtc_api.txt")"
expect_in stderr 'NVRTC is not installed'

cp "$programs/nvrtc.cpp" nvrtc.cu
run hide "$warplens" run --compiler clang --json report.json nvrtc.cu --compile-options -lnvrtc
expect_code 0
expect_in stdout '^every element is 2$'
expect_json report.json "$sites" "$counted"

# Neither of them.
run hide env WARPLENS_CLANG=/nowhere "$warplens" run ./nvrtc_api libnvrtc.so.13
expect_in stderr 'neither NVRTC nor clang'
expect_in stdout '^machine code 7$'
