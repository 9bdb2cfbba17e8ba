# Textures and surfaces in a program: that its results are right, what is counted of them and by which line, and that a handle
# of nothing is named.
. "$(dirname "$0")/common.sh"
program="$source_dir/tests/scripts/programs/textures.cu"

# 128 warps read or write 32 texels of a row each: 8 quads. In an array a quad's four texels are half of a sector; on a line
# eight lanes share one, as on a surface. A filtered quad touches five texels of two rows: two tiles wide, and two high every second row.
expect_textures() {
  expect_code 0
  expect_in stdout 'every texel is right'
  expect_json report.json "sorted((l['name'].split('(')[0], s['space'], s['op'], s['bytes'], s['instructions'], s['requests'], s['sectors'])
    for l in r['launches'] for s in l['sites'] if s['space'] in ('texture', 'surface') for _ in range(l.get('count', 1)))" "$(python3 - <<'PY'
# Columns x to x + 4 of a quad reach into the next tile but for the last quad of a row, whose columns are clamped; rows y and y + 1
# lie in two tiles where y is odd, but for the last row.
filtered = sum((1 if x == 60 else 2) * (2 if y % 2 == 1 and y != 63 else 1) for y in range(64) for x in range(0, 64, 4))
sites = [('read_line', 'texture', 'load', 512), ('read_plane', 'texture', 'load', 1024), ('read_plane', 'texture', 'load', 1024),
         ('read_layer', 'texture', 'load', 1024), ('write_plane', 'surface', 'store', 1024),
         ('read_between', 'texture', 'load', filtered)]
print(sorted((name, space, op, 4, 128, 512 if space == 'surface' else 1024, sectors) for name, space, op, sectors in sites))
PY
)"
  expect_json report.json "sorted({(l['name'].split('(')[0], *s.get('estimates', [])) for l in r['launches'] for s in l['sites']
    if s['space'] in ('texture', 'surface')})" \
    "[('read_between',), ('read_layer',), ('read_line',), ('read_plane',), ('write_plane',)]"
  run "$warplens" report --lines report.json
  expect_in stdout 'load texture 4 B  *2048    1.00 .1.00. sectors'
  expect_in stdout 'store surface 4 B  *512'
}

nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if [ -x "$nvcc" ]; then
  "$nvcc" -lineinfo -gencode arch=compute_80,code=compute_80 "$program" -o textures
  run "$warplens" run --json report.json ./textures
  expect_textures

  # What an H200 counted for a kernel per question, and what its runtime answered at the border of what is documented; by PTX and by
  # machine code.
  hardware="$source_dir/tests/hardware"
  data="$hardware/data"
  for kernels in 'texture_kernels h200_texture_kernels 51' 'texture_widths h200_texture_widths 87'; do
    set -- $kernels
    "$nvcc" -lineinfo -gencode 'arch=compute_90,code=[sm_90,compute_90]' "$hardware/$1.cu" -o kernels
    for kind in ptx machine; do
      run "$warplens" run --code $kind --json kernels.json ./kernels
      expect_code 0
      expect_not_in stderr 'runs as PTX|from an image of'
      python3 "$hardware/compare_textures.py" hold "$data/$2.json" kernels.json >held || fail "$1, $kind: $(cat held)"
      expect_in held "$3 launches"
    done
  done
  "$nvcc" -gencode 'arch=compute_90,code=[sm_90,compute_90]' "$hardware/textures.cu" -o fetches
  for kind in ptx machine; do
    run "$warplens" run --code $kind ./fetches
    expect_code 0
    cp stdout fetches.txt
    python3 "$hardware/compare_textures.py" hold_fetches "$data/h200_texture_kernels.json" "$data/h200_texture_fetches.jsonl.gz" \
      fetches.txt >held || fail "$kind: $(cat held)"
    expect_in held '2048 fetches'
  done

  # Forms that are rare: as an H200 has them, but for gradients, whose level it rounds in a way that is not known.
  "$nvcc" -gencode 'arch=compute_75,code=[sm_75,compute_75]' -gencode arch=compute_86,code=sm_86 -gencode arch=compute_90,code=sm_90 \
    -gencode arch=compute_120,code=sm_120 "$source_dir/tests/scripts/programs/texture_forms.cu" -o forms
  for sm in 75 86 90 120; do
    for kind in ptx machine; do
      run "$warplens" run --sm $sm --code $kind --json forms.$sm.$kind.json ./forms
      expect_code 0
      expect_not_in stderr 'runs as PTX'
      grep -v '^gradient' stdout | diff "$source_dir/tests/scripts/data/h200_texture_forms.txt" - || fail "forms: $sm, $kind"
      grep '^gradient' stdout >gradients.$kind
    done
    cmp gradients.ptx gradients.machine || fail "gradients: $sm"
  done
  # An object that differs from lane to lane is a loop in machine code. One count is not explained: loads of a surface that are clamped.
  python3 "$hardware/compare_textures.py" hold_forms "$data/h200_texture_forms.tsv" forms.90.machine.json >held
  diff - held <<'EOF' || fail "counts of forms"
wide_surfaces: sectors of loads 432, not 464
146 of 147 counts
EOF
fi
run "$warplens" run --compiler clang --json report.json "$program"
expect_textures

# A handle of nothing, in a kernel without line information.
cat >nothing.cu <<'EOF'
#include <cuda_runtime.h>
#include <cstdio>
__global__ void k(cudaTextureObject_t t, float* out) { *out = tex1Dfetch<float>(t, 0); }
int main() {
  float* out;
  cudaMalloc(&out, 4);
  k<<<1, 1>>>(1234, out);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
EOF
run "$warplens" run --compiler clang nothing.cu
expect_in stdout cudaErrorIllegalAddress
expect_in stderr 'nothing.cu:3'
expect_in stderr 'there is no texture object 0x4d2'
