# Fixes of the source, one program for each kind: what a dry run prints is a diff that `patch` takes, --fix writes the same, the
# result is judged to be fine, and --verify-fix sees that it prints the same. And what must not be touched is not.
. "$(dirname "$0")/common.sh"
check() { run "$warplens" check --compiler clang --no-config "$@"; }
verify() { run "$warplens" run --compiler clang --no-config --report report.txt --verify-fix "$@"; }

host='#include <cstdio>
#include <cuda_runtime.h>
template <class T> T* filled(int n) {
  T* host = new T[n];
  for (unsigned i = 0; i < n * sizeof(T) / 4; ++i) reinterpret_cast<float*>(host)[i] = i % 977;
  T* out;
  cudaMalloc(&out, n * sizeof(T));
  cudaMemcpy(out, host, n * sizeof(T), cudaMemcpyHostToDevice);
  return out;
}
void print(const void* from, int n) {
  float* host = new float[n];
  cudaMemcpy(host, from, n * 4, cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += double(host[i]) * (i % 31);
  std::printf("%.1f\n", sum);
}
'
cat >tile.cu <<CU
$host
constexpr int tile = 32;
__global__ void transpose(const float* in, float* out, int n) {
  __shared__ float block[tile][tile];
  int x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;
  block[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  x = blockIdx.y * tile + threadIdx.x, y = blockIdx.x * tile + threadIdx.y;
  out[y * n + x] = block[threadIdx.x][threadIdx.y];
}
int main() {
  float *in = filled<float>(128 * 128), *out = filled<float>(128 * 128);
  transpose<<<dim3(4, 4), dim3(32, 32)>>>(in, out, 128);
  print(out, 128 * 128);
}
CU
cat >vector.cu <<CU
$host
struct Point { float x, y; };
__global__ void copy(const Point* in, Point* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}
int main() {
  Point *in = filled<Point>(1024), *out = filled<Point>(1024);
  copy<<<8, 128>>>(in, out);
  print(out, 2048);
}
CU
cat >alias.cu <<CU
$host
__global__ void weigh(const float* weight, const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; ++k) out[k * 256 + i] = in[k * 256 + i] * weight[i];
}
int main() {
  float *weight, *in, *out;
  cudaMalloc((void**)&weight, 256 * 4);
  cudaMalloc((void**)&in, 16 * 256 * 4);
  cudaMalloc((void**)&out, 16 * 256 * 4);
  cudaMemset(weight, 1, 256 * 4);
  cudaMemset(in, 1, 16 * 256 * 4);
  weigh<<<2, 128>>>(weight, in, out, 16);
  float* host = new float[16 * 256];
  cudaMemcpy(host, out, 16 * 256 * 4, cudaMemcpyDeviceToHost);
  std::printf("%g\n", host[4095] * 1e30f);
}
CU

# fixed NAME RULE EDIT FROM TO: the finding is there and gone, the line that is written, what the counts of the run become.
fixed() {
  name=$1
  check "$name.cu"
  expect_in stdout "\\[$2\\]"
  expect_in stdout 'note: fix-it:'
  check --fix-dry-run "$name.cu"
  mv stdout "$name.diff"
  expect_in "$name.diff" "^\\+.*$3"
  mkdir -p patched
  cp "$name.cu" patched
  (cd patched && patch -sp1 <"../$name.diff") || fail "patch does not take the diff"
  if [ "$2" = missing-restrict ]; then # which a run does not look for: counted here
    for version in "$name.cu" "patched/$name.cu"; do
      run "$warplens" run --compiler clang --no-config --report report.txt --json report.json "$version"
      cat stdout >>"$name.out"
      json report.json 'sum(a["sectors"] for k in r["kernels"] for a in k["accesses"])' >>"$name.sectors"
    done
    [ "$(sort -u "$name.out" | wc -l)" = 1 ] || fail "$name.cu prints something else"
    [ "$(tr '\n' ' ' <"$name.sectors")" = "$4 $5 " ] || fail "sectors $(cat "$name.sectors")"
    return
  fi
  verify "$name.cu"
  expect_code 0
  expect_in stderr 'with the fixes the program prints the same \(1 line\) and ends with 0, as before'
  expect_in stderr 'what it copies from the device to the host is the same to the bit \(1 transfer\)'
  expect_in stderr "$4 -> $5"
  ! cmp -s "$name.cu" "patched/$name.cu" || fail "--verify-fix wrote $name.cu"
  check "$name.cu"
  failed=$code
  check --fix "$name.cu"
  expect_code "$failed" # what failed has failed: a commit hook must not go on
  [ "$failed" = 0 ] || expect_in stderr 'that failed (is|are) fixed, and pass'
  expect_in stderr "1 fix in $name.cu"
  cmp "$name.cu" "patched/$name.cu" || fail "--fix writes something else than the dry run shows"
  check "$name.cu" # in blocks of another shape a tile may still have conflicts: a note
  expect_not_in stdout "warning: .*\\[$2\\]|\\[missing-restrict\\]"
}
# However the file is called.
mkdir -p from/here
cp tile.cu from
for name in ../tile.cu ../../from/tile.cu "$PWD/from/here/../tile.cu"; do
  (cd from/here && "$warplens" check --compiler clang --no-config --fix-dry-run "$name" >../../called.diff 2>&1 || true)
  expect_in called.diff '^\+.*float block\[tile\]\[tile \+ 1\];'
done

fixed tile bank-conflict 'float block\[tile\]\[tile \+ 1\];' 'wavefronts 16384' 512
fixed vector uncoalesced-load 'struct __align__\(8\) Point' 'sectors 1024' 512
fixed alias missing-restrict 'const float\* __restrict__ weight' 1536 1056

# A fix that does not hold is left out, and the file stays as it is: these rows fill all of the shared memory.
cat >full.cu <<CU
__global__ void full(const float* in, float* out) {
  __shared__ float block[32][32], more[11264];
  block[threadIdx.y][threadIdx.x] = in[threadIdx.x];
  for (int i = 0; i < 11; ++i) more[i * 1024 + threadIdx.y * 32 + threadIdx.x] = in[i];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = block[threadIdx.x][threadIdx.y] + more[(threadIdx.y * 341 + threadIdx.x) % 11264];
}
CU
cp full.cu before.cu
check --fix full.cu
expect_code 1
expect_in stderr 'full.cu:[0-9]+ \[bank-conflict\] is left out: a kernel would have 49280 bytes of shared arrays'
cmp full.cu before.cu || fail "a fix that does not hold was written"

# What is suppressed is not touched, nor is what is used in another way: a note says where.
sed 's/tile\]\[tile + 1\];/tile][tile];/; s/^  out\[y \* n + x\] = .*/& \/\/ warplens: ignore bank-conflict: small/' tile.cu >ignored.cu
check --fix-dry-run ignored.cu
expect_empty stdout
expect_in stderr 'no finding has a fix that could be made'
sed 's/tile\]\[tile + 1\];/tile][tile]; float* flat = (float*)\&block[0][0]; flat[threadIdx.x] = 0;/' tile.cu >flat.cu
cp flat.cu before.cu
check --fix --sarif flat.sarif --findings flat.json flat.cu
expect_code 1
expect_in stdout 'flat.cu:[0-9]+:[0-9]+: note: no edit of the source: the address of an element is taken'
expect_in stderr 'no finding has a fix that could be made'
cmp flat.cu before.cu || fail "a source was changed that must not be"
expect_json flat.sarif '[x for x in r["runs"][0]["results"] if x.get("fixes")]' '[]'
expect_json flat.json '[f for f in r["findings"] if (f.get("fix") or {}).get("edits")]' '[]'

# A source that clang does not parse: no edit, and what clang says. Options of the command are clang's, too.
sed 's/tile\]\[tile + 1\];/tile][tile];/; s/int tile = 32/int tile = SIDE/' tile.cu >side.cu
check --fix-dry-run --compile-options -DSIDE=32 side.cu
expect_in stdout '^\+.*block\[tile\]\[tile \+ 1\];'
if [ -x "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" ]; then
  { sed 's/tile\]\[tile + 1\];/tile][tile];/' tile.cu; echo '#ifndef __NVCC__
#error only for nvcc
#endif'; } >nvcc.cu
  run "$warplens" check --compiler nvcc --no-config nvcc.cu
  expect_in stdout 'no edit of the source: clang cannot parse nvcc.cu: nvcc.cu:[0-9]+: only for nvcc'
fi

# Two files that are fixed together, and one that is write-protected: then nothing is written.
mkdir -p both
for name in one two; do sed 's/tile\]\[tile + 1\];/tile][tile];/' tile.cu >both/$name.cu; done
chmod a-w both/two.cu
check --fix both/one.cu both/two.cu
expect_code 2
expect_in stderr "both/two.cu.*Permission denied"
expect_not_in both/one.cu 'tile \+ 1'
chmod u+w both/two.cu
check --fix both/one.cu both/two.cu
expect_code 1
expect_in stderr '2 fixes in both/one.cu and both/two.cu'
for name in one two; do expect_in both/$name.cu 'tile \+ 1'; done

# A program that prints something else is not changed: this one prints where another array lies, behind the tile.
sed 's/tile\]\[tile + 1\];/tile][tile], more[4]; more[threadIdx.x \& 3] = 1;/; s/^  out\[y \* n + x\] = .*/&\n  if (x == 0) out[y * n] = more[0] + float((unsigned long long)(void*)more \& 0xffff);/' tile.cu >aware.cu
cp aware.cu before.cu
verify --fix aware.cu
expect_code 1
expect_in stderr 'the fixes do not hold: line 1 of what the program prints is '
cmp aware.cu before.cu || fail "a fix that changes what the program prints was written"

# Nor one that prints nothing of it: what comes back from the device counts.
sed 's/  print(out, 128 \* 128);/  static float back[128 * 128]; cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost);/' aware.cu >quiet.cu
cp quiet.cu before.cu
verify --fix quiet.cu
expect_code 1
expect_in stderr 'the fixes do not hold: copy 1 of 1 from the device to the host, of 65536 bytes, has another content, in both of two runs each'
cmp quiet.cu before.cu || fail "a fix that changes what the program copies was written"

# What changes from run to run is not called wrong: each process has a number of its own.
sed 's/struct __align__(8) Point/struct Point/; s/print(out, 2048);/print(out, 2048); float pid = getpid() % 4096; cudaMemcpy(out, \&pid, 4, cudaMemcpyHostToDevice); print(out, 1); print(out + 512, 1024); std::printf("%f\\n", pid);/; s/#include <cstdio>/#include <cstdio>\n#include <unistd.h>/' vector.cu >varies.cu
verify varies.cu
expect_code 0
expect_in stderr 'prints the same \(4 lines, but for 1 that changes from run to run\)'
expect_in stderr 'the same to the bit \(3 transfers, but for 1 that changes from run to run\)'
sed 's/struct __align__(8) Point/struct Point/; s/print(out, 2048);/for (int i = 0; i < getpid() % 97; ++i) print(out, 64);/; s/#include <cstdio>/#include <cstdio>\n#include <unistd.h>/' vector.cu >many.cu
verify many.cu
expect_code 1
expect_in stderr 'the fixes are not verified: there is nothing to compare'
sed 's/struct __align__(8) Point/struct Point/; s/  print(out, 2048);//' vector.cu >silent.cu
verify silent.cu
expect_code 1
expect_in stderr 'the fixes are not verified: there is nothing to compare'

# From elsewhere, the paths of a diff are from the folder of the file, and it says how to take it.
sed 's/tile\]\[tile + 1\];/tile][tile];/' tile.cu >elsewhere.cu
here=$PWD
mkdir -p other
(cd other && "$warplens" check --compiler clang --no-config --fail-on never --fix-dry-run "$here/elsewhere.cu") >elsewhere.diff 2>stderr
expect_in elsewhere.diff '^--- a/elsewhere.cu'
expect_in stderr "the diff's paths are from $here: patch -p1 -d $here"
patch -sp1 -d "$here" <elsewhere.diff || fail "patch does not take the diff"
expect_in elsewhere.cu 'tile \+ 1'

# From a saved run, where lines are those that ran.
sed 's/tile\]\[tile + 1\];/tile][tile];/' tile.cu >saved.cu
run "$warplens" run --compiler clang --no-config --json saved.json --report report.txt saved.cu
expect_code 0
run "$warplens" report --no-config --report report.txt --fix-dry-run saved.json
expect_code 0
expect_in stdout '^\+.*float block\[tile\]\[tile \+ 1\];'
sed -i 's/= block\[threadIdx.x\]/= 2 * block[threadIdx.x]/' saved.cu
run "$warplens" report --no-config --report report.txt --fix saved.json
expect_in stderr 'no finding has a fix that could be made'
expect_not_in saved.cu 'tile \+ 1'

# A program without its source is not compiled anew.
run "$warplens" run --verify-fix /bin/true
expect_code 2
expect_in stderr 'verify-fix compiles the program anew'

# Forms: SARIF's fixes, and the diff in Markdown.
sed 's/tile\]\[tile + 1\];/tile][tile];/' tile.cu >forms.cu
check --fail-on never --sarif forms.sarif --markdown forms.md forms.cu
expect_json forms.sarif '[e["insertedContent"]["text"] for x in r["runs"][0]["results"] if x["ruleId"]=="bank-conflict" for f in x.get("fixes",[]) for c in f["artifactChanges"] for e in c["replacements"]]' "[' + 1']"
expect_in forms.md "forms.cu:[0-9]+:[0-9]+: insert ' [+] 1'"

# No CUDA toolkit takes part, whether there is one or not.
toolkit=$(readlink -f "${CUDA_HOME:-/usr/local/cuda}" || true)
mkdir empty
if [ -d "$toolkit" ] && unshare -m true 2>/dev/null; then
  run unshare -m sh -c 'mount --bind "$1" "$2" && shift 2 && exec "$@"' sh "$scratch/empty" "$toolkit" \
    "$warplens" check --compiler clang --no-config --fix-dry-run forms.cu
  expect_in stdout '^\+.*float block\[tile\]\[tile \+ 1\];'
fi

# The editor's code action has the same edit, and for what is used in another way none. It comes after the diagnostics.
cat >edits.py <<'PY'
import json, os, subprocess, sys
server = subprocess.Popen([sys.argv[1], "lsp", "--compiler", "clang"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def send(method, params, number=None):
    message = {"jsonrpc": "2.0", "method": method, "params": params} | ({} if number is None else {"id": number})
    body = json.dumps(message).encode()
    server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    server.stdin.flush()
def receive():
    length = 0
    while (line := server.stdout.readline().strip()):
        if line.lower().startswith(b"content-length:"): length = int(line.split(b":")[1])
    return json.loads(server.stdout.read(length))
def answer(number):
    while (message := receive()).get("id") != number: pass
    return message["result"]
send("initialize", {"processId": None, "rootUri": "file://" + os.getcwd(), "capabilities": {}}, 1)
answer(1)
send("initialized", {})
uri = "file://" + os.path.abspath(sys.argv[2])
send("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "cuda-cpp", "version": 1, "text": open(sys.argv[2]).read()}})
published = 0
while published < 2: # without edits, and with what became of them
    published += receive().get("method") == "textDocument/publishDiagnostics"
everywhere = {"start": {"line": 0, "character": 0}, "end": {"line": 1000, "character": 0}}
send("textDocument/codeAction", {"textDocument": {"uri": uri}, "range": everywhere, "context": {"diagnostics": []}}, 2)
print([edit["newText"] for action in answer(2) if "by a comment" not in action["title"] for edit in action["edit"]["changes"][uri]])
send("shutdown", None, 3)
send("exit", None)
server.wait()
PY
run python3 edits.py "$warplens" forms.cu
expect_in stdout "^\[' \+ 1'\]$"
run python3 edits.py "$warplens" flat.cu
expect_in stdout '^\[\]$'
