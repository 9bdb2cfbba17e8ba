# A program that compiles kernels with the toolkit's NVRTC for one GPU and loads the machine code: it is counted, by source line.
. "$(dirname "$0")/common.sh"
toolkit=${CUDA_HOME:-/usr/local/cuda}
[ -e "$toolkit/include/nvrtc.h" ] && [ -e "$toolkit/lib64/libnvrtc.so" ] || skip "no NVRTC in $toolkit"
g++ -I"$toolkit/include" "$source_dir/tests/scripts/programs/nvrtc.cpp" -o nvrtc -L"$toolkit/lib64" -L"$toolkit/lib64/stubs" \
  -Wl,-rpath,"$toolkit/lib64" -lnvrtc -lcuda
run "$warplens" run --json report.json ./nvrtc
expect_code 0
expect_in stdout '^every element is 2$'
expect_json report.json '[(s["file"].split("/")[-1], s["line"], s["op"], s["sectors"]) for l in r["launches"] for s in l["sites"]]' \
  "[('add_one.cu', 3, 'load', 63), ('add_one.cu', 3, 'store', 63)]"
