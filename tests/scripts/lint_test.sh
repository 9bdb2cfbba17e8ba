# `check` as users meet it: a source by clang, PTX from a file and from standard input, a list of compile commands; what is
# found, the exit codes, and inputs that cannot be judged. What verdicts are worth is tests/check's business.
. "$(dirname "$0")/common.sh"

cat >apart.cu <<'CU'
__global__ void apart(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i * n];
}
__global__ void together(const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 2 * in[i];
}
int main() { return 0; }
CU
run "$warplens" check --compiler clang apart.cu
expect_code 1
expect_in stdout "apart.cu:3:.*warning: load of 4 bytes from 'in': stride 4\*n bytes \[uncoalesced-load\]"
expect_in stdout 'out\[i\] = in\[i \* n\];'
expect_in stdout 'sectors by n: 0: 1, 1: 4, 2: 8'
expect_in stdout '4 after the fix'
expect_not_in stdout 'apart.cu:7'

# The instructions of an unrolled loop begin at other places in a sector: a table is of one of them, and says so.
cat >rows.cu <<'CU'
__global__ void rows(float *a, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 4
  for (int j = 0; j < m; ++j) a[i * n + j] = 1;
}
CU
run "$warplens" check --compiler clang rows.cu
expect_in stdout 'instructions of this line do the same; the costs here are those of one of them'

# What is known of a launch narrows the verdict; what is fine is shown when asked for.
run "$warplens" check --compiler clang --set n=1 apart.cu
expect_code 0
run "$warplens" check --compiler clang --set n=2 apart.cu
expect_in stdout '8 sectors per request where 4 would do'
run "$warplens" check --compiler clang --kernel together --all apart.cu
expect_code 0
expect_in stdout 'apart.cu:7:.*coalesced: load of 4 bytes'
run "$warplens" check --compiler clang --fail-on never --json apart.cu
expect_code 0
mv stdout findings.json
expect_json findings.json "[f['rule'] for f in r['findings']]" "['uncoalesced-load', 'index-overflow']"

# PTX, from a file or from standard input.
cat >tile.ptx <<'PTX'
.version 7.8
.target sm_80
.address_size 64
.shared .align 4 .b8 tile[4096];
.visible .entry column()
{
.reg .b32 %r<4>;
.reg .b64 %rd<4>;
mov.u32 %r1, %tid.x;
and.b32 %r2, %r1, 31;
mul.wide.u32 %rd1, %r2, 128;
mov.u64 %rd2, tile;
add.s64 %rd3, %rd2, %rd1;
ld.shared.u32 %r3, [%rd3];
ret;
}
PTX
run "$warplens" check tile.ptx
expect_code 1
expect_in stdout '32-way bank conflict'
expect_in stdout '32 wavefronts per instruction where 1 would do'
run sh -c '"$0" check - <tile.ptx' "$warplens"
expect_code 1
expect_in stdout '32-way bank conflict'

echo '__global__ void k(float* a) { a[threadIdx.x * 8] = 1; }' >stdin.cu
run sh -c '(echo "/* a // comment */"; cat stdin.cu) | "$0" check --no-config --compiler clang -' "$warplens"
expect_code 1
expect_in stdout '^<stdin>.cu:2:[0-9]+: warning: store of 4 bytes'
rm stdin.cu

# The CUDA sources of a build.
cat >compile_commands.json <<JSON
[{"directory": "$scratch", "file": "apart.cu", "command": "nvcc -DX=1 -c apart.cu -o apart.o"},
 {"directory": "$scratch", "file": "main.cpp", "command": "c++ -c main.cpp"}]
JSON
run "$warplens" check --compiler clang compile_commands.json
expect_code 1
expect_in stdout '4 accesses in 2 kernels'

# As generators write it: "directory" is where every relative path begins, from whatever folder check is called.
mkdir -p "made/my project/src" "made/my project/include" "made/my project/build" "made/my project/third party"
(
  cd "made/my project"
  echo '#define STRIDE 8' >include/stride.h
  echo '#define BIAS 1' >build/config.h
  echo '#define THIRD 2' >"third party/third.h"
  for name in one two three four five; do
    {
      echo '#include "stride.h"'
      echo '#include <third.h>'
      echo "__global__ void $name(float* a) { a[threadIdx.x * STRIDE] = BIAS + THIRD + (SCALE); }"
    } >src/$name.cu
  done
  cp src/five.cu src/five.cpp
  printf -- '-I../include -isystem="../third party"\n' >build/includes.rsp
  printf -- "-DNAME='a b' @more.rsp" >build/defines.rsp
  echo '"-DSCALE=2 * 3"' >build/more.rsp
  cat >build/compile_commands.json <<JSON
[{"directory": "$PWD/build", "file": "../src/one.cu",
  "command": "/usr/bin/ccache nvcc -forward-unknown-to-host-compiler -DSCALE=\\"(1 + 2)\\" --options-file includes.rsp -include config.h -Werror all-warnings -std=c++17 -x cu -dc ../src/one.cu -o one.o"},
 {"directory": "$PWD/build", "file": "../src/two.cu",
  "arguments": ["nvcc", "-optf=includes.rsp", "-Xcompiler=-Wall,-include,config.h", "-DSCALE=1 + 1", "-MD", "-MF", "two.d", "-c", "../src/two.cu", "-o", "two.o"]},
 {"directory": ".", "file": "$PWD/src/three.cu",
  "command": "clang++ @defines.rsp -I ../include -isystem '../third party' -include config.h -xcuda --cuda-gpu-arch=sm_80 -Werror -c ../src/three.cu -o three.o"},
 {"directory": "$PWD/build", "file": "../src/four.cu",
  "arguments": ["nvcc", "-DSCALE=1", "-DBIAS=1", "--include-path=../include", "--system-include", "../third party", "../src/four.cu", "../src/one.cu", "other.o", "-o", "program"]},
 {"directory": "$PWD/build", "file": "../src/four.cu",
  "arguments": ["nvcc", "-DSCALE=1", "-DBIAS=1", "--include-path=../include", "--system-include", "../third party", "../src/four.cu", "../src/one.cu", "other.o", "-o", "twin"]},
 {"directory": "$PWD/build", "file": "../src/five.cpp",
  "command": "nvcc -DSCALE=1 -DBIAS=1 -x cu -I../include '-I../third party' -c ../src/five.cpp -o five.o"},
 {"directory": "$PWD/build", "file": "../src/main.cpp", "command": "c++ -c ../src/main.cpp"}]
JSON
)
commands="made/my project/build/compile_commands.json"
for folder in . "made/my project" "made/my project/build" /; do
  path=$scratch/$commands
  if [ "$folder" = . ]; then path=$commands; fi
  code=0
  (cd "$folder" && "$warplens" check --no-config --compiler clang --fail-on never --findings "$scratch/findings.json" "$path") >stdout 2>stderr || code=$?
  expect_code 0
  expect_json findings.json "sorted((f['file'].split('/')[-1], f['line']) for f in r['findings'])" \
    "[('five.cpp', 3), ('four.cu', 3), ('one.cu', 3), ('three.cu', 3), ('two.cu', 3)]"
done
expect_in stdout '^5 accesses in 5 kernels'
(cd "made/my project" && "$warplens" check --no-config --compiler clang --findings - --fail-on never build/compile_commands.json) >stdout
expect_json stdout "sorted(f['file'] for f in r['findings'])[0]" 'src/five.cpp'
sed -i 's/"\(.*\)"/"-DSCALE=1" -DSTRIDE_IS_SET/' "made/my project/build/more.rsp"
echo '#if defined STRIDE_IS_SET && !defined MINE' >>"made/my project/src/three.cu"
echo '#error stop' >>"made/my project/src/three.cu"
echo '#endif' >>"made/my project/src/three.cu"
run "$warplens" check --compiler clang --fail-on never "$commands"
expect_code 2
expect_in stderr '^warplens: 1 of 5 files was not judged: made/my project/src/three\.cu$'
run "$warplens" check --compiler clang --fail-on never --compile-options -DMINE "$commands"
expect_code 0
rm "made/my project/build/includes.rsp"
run "$warplens" check --compiler clang --fail-on never --compile-options -DMINE "$commands"
expect_code 2
expect_in stderr "cannot read the response file '.*/build/includes.rsp'"
expect_in stderr '^warplens: 2 of 5 files were not judged: .*one\.cu, .*two\.cu$'
expect_in stdout 'five\.cpp:3'

# A folder and a file in it are one file; a project that was configured by a link to its folder has its own paths.
run "$warplens" check --compiler clang --fail-on never apart.cu apart.cu
expect_in stdout '4 accesses in 2 kernels'
run "$warplens" check "made/my project/build"
expect_code 2
expect_in stderr "names? sources: give 'made/my project/build/compile_commands.json'"
ln -s "made/my project" linked
echo "[{\"directory\": \"$scratch/linked\", \"file\": \"$scratch/linked/src/five.cu\", \"command\": \"nvcc -DSCALE=1 -DBIAS=1 -Iinclude '-Ithird party' src/five.cu\"}]" >linked.json
(cd linked && "$warplens" check --compiler clang --fail-on never --findings - ../../linked.json) >stdout
expect_json stdout "[f['file'] for f in r['findings']]" "['src/five.cu']"

# Two ways to compile a file are two inputs; what is malformed is told by its number, and other inputs are judged.
cat >twice.json <<JSON
[{"directory": "$scratch", "file": "apart.cu", "command": "nvcc -Dapart=first -c apart.cu"},
 {"directory": "$scratch", "file": "apart.cu", "command": "nvcc -Dapart=second -c apart.cu"}]
JSON
run "$warplens" check --compiler clang twice.json
expect_in stdout '8 accesses in 4 kernels'
spoilt() {
  printf '%s' "$1" >spoilt.json
  run "$warplens" check --compiler clang --fail-on never spoilt.json apart.cu
  expect_code 2
  expect_in stderr "$2"
  expect_in stdout '4 accesses in 2 kernels'
}
spoilt '[' 'is not a list of compile commands'
spoilt '[{"file": "a.cu"}, {"directory": "/"}]' "entry 2 of 'spoilt.json' names no file"
spoilt '[{"file": "a.cu", "arguments": ["nvcc", 3]}]' 'entry 1 of .* has "arguments" that are no list of texts'
spoilt '[{"file": "a.cu", "command": "nvcc \"-DX"}]' 'entry 1 of .* a quote that is not closed'
spoilt '[{"file": "a.cpp", "command": "c++ a.cpp"}]' 'names no CUDA source'
spoilt '[{"file": "absent.cu", "command": "nvcc absent.cu"}]' "absent.cu' does not exist"
echo '@loop.rsp' >loop.rsp
spoilt '[{"file": "apart.cu", "command": "nvcc @loop.rsp apart.cu"}]' "loop.rsp' names itself"

# What cannot be judged is said, with the compiler's own words.
echo 'int main( {' >broken.cu
run "$warplens" check --compiler clang broken.cu
expect_code 2
expect_in stderr 'broken.cu:1:'
echo 'not PTX' >broken.ptx
run "$warplens" check broken.ptx
expect_code 2
expect_in stderr 'broken.ptx:1:1'
run "$warplens" check missing.cu
expect_code 2
run "$warplens" check /bin/true
expect_code 2
expect_in stderr 'holds no PTX'
run "$warplens" check --block 0,1 tile.ptx
expect_code 2
run "$warplens" check --set n=1 tile.ptx
expect_in stderr "no kernel has a parameter 'n'"
run "$warplens" check --sm 20 tile.ptx
expect_code 2
expect_in stderr 'put another in front, then check has the counts of both: --sm 90,20'
run "$warplens" check --sm 90,20,13 tile.ptx
expect_in stdout '32 wavefronts per instruction where 2 would do .1\.3.; 2 after the fix'

# A header of device code, by either compiler.
cat >header.cuh <<'CU'
#pragma once
template <class T> __global__ void apart(T* a, int n) { a[threadIdx.x * n] = 1; }
template __global__ void apart<float>(float*, int);
CU
run "$warplens" check --compiler clang header.cuh
expect_code 1
expect_in stdout '^header.cuh:2:[0-9]+: warning: store .* stride 4\*n bytes'

# What a fix leaves is counted by the rules of every architecture, by run as by check.
cp "$source_dir/examples/transpose.cu" .
run "$warplens" check --compiler clang --sm 90,70 transpose.cu
expect_in stdout '32 wavefronts per instruction where 1 would do \(9\.0\); 1 after the fix$'
expect_in stdout '32 wavefronts per instruction where 1 would do \(7\.0\); 1 after the fix$'
run "$warplens" run --compiler clang --sm 90,35,70 --findings findings.json transpose.cu
python3 - <<'X' || fail "run does not say what fixes leave on each architecture"
import json
costs = [f['costs'] for f in json.load(open('findings.json'))['findings']]
assert [[c['fixed'] for c in of] for of in costs if of[0]['counter'] == 'sectors'] == [[4, 4, 4]], costs
(shared,) = [of for of in costs if of[0]['counter'] == 'wavefronts']
assert (shared[0]['fixed'], shared[2]['fixed']) == (1, 1) and shared[1]['sm'] == 35, shared
X
