# Programs that nvcc builds: shared and static runtime, PTX plain and compressed, relocatable device code, stripped,
# without PTX, and PTX that was damaged. Skipped where there is no nvcc.
. "$(dirname "$0")/common.sh"
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || skip "nvcc not found"
program="$source_dir/tests/scripts/programs/scale.cu"
ptx="-gencode arch=compute_80,code=compute_80"

expect_counts() { # BINARY
  run "$warplens" run --json report.json "./$1" word
  expect_code 0
  [ "$(cat stdout)" = "6 6138 word" ] || fail "$1: the program's output changed"
  expect_json report.json 'sorted(s["sectors"] for s in r["launches"][-1]["sites"])' '[128, 128]'
}
build() { # NAME OPTIONS…
  name=$1
  shift
  # shellcheck disable=SC2086
  "$nvcc" -lineinfo $ptx "$@" "$program" -o "$name"
}
build shared -cudart shared && expect_counts shared
build static -cudart static && expect_counts static
build plain -cudart shared --no-compress && expect_counts plain
build relocatable -rdc=true && expect_counts relocatable

ptx="-gencode arch=compute_80,code=sm_80"
build machine_code -cudart shared && expect_counts machine_code # -lineinfo leaves the PTX text in the cubin

# check judges each access once, whichever of the two copies of the PTX it is given.
ptx="-gencode arch=compute_80,code=[sm_80,compute_80]"
build both -cudart static
accesses() {
  run "$warplens" check "$1"
  sed -n 's/^\([0-9]* access[es]* in [0-9]* kernels*\).*/\1/p' stdout
}
once=$(accesses shared)
[ -n "$once" ] || fail "check says nothing of a program"
for name in machine_code both; do
  [ "$(accesses "$name")" = "$once" ] || fail "check of $name: $(accesses "$name"), of PTX alone $once"
done

strip static -o stripped
run "$warplens" run ./stripped word
expect_no_crash
expect_in stderr 'NVCC_APPEND_FLAGS'

# Damaged PTX, patched inside the plain binary: a version from the future, a cut in the middle, nothing at all.
damage() { python3 - "$@" <<'PY'
import re, sys
name, what = sys.argv[1:]
data = bytearray(open("plain", "rb").read())
at = data.index(b".version ")
end = data.index(b"\0", at)
if what == "future":
    data[at:at + 12] = b".version 9.9"
else:
    begin = (at + end) // 2 if what == "cut" else at
    data[begin:end] = b"\0" * (end - begin)
open(name, "wb").write(data)
PY
  chmod +x "$1"; }
damage future future
expect_counts future
for what in cut nothing; do
  damage "$what" "$what"
  run "$warplens" run "./$what" word
  expect_no_crash
  expect_in stderr 'error|warning'
done

# A source that was edited after the program was built: its lines may not be those that ran.
cp "$program" edited.cu
program=edited.cu
ptx="-gencode arch=compute_80,code=compute_80"
build edited -cudart shared
run "$warplens" run ./edited word
expect_not_in stderr 'changed after the program was built'
sed -i '1i // a line more' edited.cu
touch -d '+2 seconds' edited.cu
run "$warplens" run --json report.json ./edited word
expect_in stderr 'changed after the program was built'
expect_json report.json '{a["source_changed"] for k in r["kernels"] for a in k["accesses"]}' '{True}'
program="$source_dir/tests/scripts/programs/scale.cu"

run "$warplens" run --compiler nvcc --json report.json "$program" word
expect_code 0
expect_json report.json '[(l["status"], l["count"]) for l in r["launches"]]' "[('exact', 2)]"

# Two sources of one name in two folders: nvcc names what it keeps after the source.
mkdir -p a b
cat >main.cu <<'C'
#include <cstdio>
void first(float*);
void second(float*);
int main() {
  float *data, out[2];
  cudaMalloc(&data, 128);
  first(data);
  second(data);
  cudaMemcpy(out, data, 8, cudaMemcpyDeviceToHost);
  printf("%g %g\n", out[0], out[1]);
}
C
echo '__global__ void set(float* p) { p[threadIdx.x] = threadIdx.x; } void first(float* p) { set<<<1, 32>>>(p); }' >a/kernel.cu
echo '__global__ void add(float* p) { p[threadIdx.x] += 5; } void second(float* p) { add<<<1, 32>>>(p); }' >b/kernel.cu
run "$warplens" run --compiler nvcc main.cu a/kernel.cu b/kernel.cu
expect_code 0
[ "$(cat stdout)" = "5 6" ] || fail "two sources of one name: '$(cat stdout)'"

# A cubin of nvcc 13 holds the PTX without its lines, which come from the tables of the machine code.
program="$source_dir/tests/scripts/programs/scale.cu"
ptx="-gencode arch=compute_80,code=sm_80"
build machine_code -cudart shared
run "$warplens" run ./machine_code word
if ! strings machine_code | grep -q '^[[:space:]]*\.loc'; then
  expect_in stderr 'scale.cu:6'
  expect_not_in stderr 'Built without -lineinfo'
fi
