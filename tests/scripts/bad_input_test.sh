# What cannot be run, read or written: each case of data/bad_input.tsv has its exit code and message, and none is a crash or
# takes for ever. Then programs that need more than a line: without CUDA's runtime, or with damaged PTX.
. "$(dirname "$0")/common.sh"
program="$source_dir/tests/scripts/programs/scale.cu"
export program

mkdir folder folder.cu bin '$(touch pwned)'
ln -s "$warplens" bin/warplens
PATH="$scratch/bin:$PATH"
echo 'not a program' >text
cp text text_with_x
printf '#!/bin/sh\n' >unready
printf '#!/nonexistent/shell\n' >uninterpreted
ln -s to_itself to_itself
head -c 5000 "$(command -v dash)" >cut_off # a program that was copied in part
echo 'int bystander;' >bystander.cpp
: >empty
mkfifo fifo fifo.cu
printf '#!/bin/sh\ntouch started\n' >script
cp script script.copy
ln -s script link_to_script
ln script hard_link_to_script
chmod +x text_with_x uninterpreted cut_off empty fifo script
python3 -c 'print("(" * 20000 + ")" * 20000)' >nested
python3 -c 'print("(" * 20000)' >unbalanced

cp "$source_dir/tests/fuzz/seeds/report/two-launches.json" saved.json
cp saved.json ./-saved.json
cp saved.json ./--json
cp "$program" ./-scale.cu
python3 -c 'import json
report = json.load(open("saved.json"))
for name, member, value in (("grid", "grid", [0, 1, 1]), ("block", "block", [2048, 1, 1]), ("shared", "shared_bytes", 2**63)):
  report["launches"][0][member], kept = value, report["launches"][0][member]
  json.dump(report, open(name + ".json", "w"))
  report["launches"][0][member] = kept
others = {"schema": {"schema": 99}, "number": {"schema": None}, "launches": {"launches": None}, "kernels": {"kernels": None},
  "complete": {"complete": 1},
  "launchless": {"launches": []}, "killed": {"program": report["program"] | {"signal": 9}},
  "arguments": {"program": report["program"] | {"command": ["app", "64"]}}}
for name, members in others.items():
  json.dump({key: value for key, value in (report | members).items() if value is not None}, open(name + ".json", "w"))
json.dump([], open("list.json", "w"))
open("other_sm.json", "w").write(json.dumps(report).replace("[90]", "[80]").replace("\"sm\": 90", "\"sm\": 80"))'
"$warplens" check --json "$source_dir/tests/scripts/programs/triton_add.ptx" >known.json || :
truncate -s 65M large.cu
mkdir -p tree/folder.cu pipes
cp "$program" tree
mkfifo tree/pipe.cu pipes/pipe.cu
ln -s nowhere tree/link.cu
ln -s /dev/null tree/device.cu
echo 'int main( {' >broken.cu
cp broken.cu '$(touch pwned).cu'
cp broken.cu '`touch pwned`.cu'
cp broken.cu '";touch pwned;".cu'
echo 'int main() { void* p; return cudaMalloc(&p, 4) == cudaSuccess ? 6 : 1; }' >no_kernel.cu
{ cat "$program"; printf '#line 1 "%s/fifo"\nint unused;\n' "$scratch"; } >line_of_fifo.cu
cat >fake_nvcc <<'SH'
#!/bin/sh
case $1 in
--version) echo 'Cuda compilation tools, release 13.0, V13.0.88' ;;
--list-gpu-arch) echo compute_75 compute_90 ;;
*) touch nvcc_ran && exit 1 ;;
esac
SH
cat >coloured_clang <<'SH'
#!/bin/sh
[ "$1" != --version ] || { echo 'clang version 19.1.7'; exit; }
printf 'bad \033[31mred\n'
exit 1
SH
printf '#!/bin/sh\necho clang version 11.0.0\n' >old_clang
chmod +x fake_nvcc coloured_clang old_clang

python3 - "$source_dir/tests/trace/data" <<'PY'
import gzip, sys
addresses = ",".join(str(4 * lane) for lane in range(32))
good = '{"id":1,"space":"global","op":"load","bytes":4,"mask":"0xffffffff","addresses":[%s]}\n' % addresses
def write(name, content):
    open(name, "wb").write(content if isinstance(content, bytes) else content.encode())
write("good.jsonl", good)
write("bom.jsonl", "\ufeff" + good)
write("utf16.jsonl", good.encode("utf-16"))
write("null2.jsonl", '{"addresses":[null2}\n')
write("twice.jsonl", good.replace('"op"', '"space":"shared","op"'))
write("two_addresses.jsonl", good.replace('"op"', '"offsets":[%s],"op"' % addresses))
write("bad_id.jsonl", good.replace('"id":1', '"id":[1]'))
write("deep.jsonl", '{"x":' + "[" * 5000 + "]" * 5000 + "}\n")
packed = gzip.compress(good.encode())
write("behind.jsonl.gz", packed + b"garbage")
write("cut.jsonl.gz", packed[:-9])
write("two.jsonl.gz", packed + packed)
write("padded.jsonl.gz", packed + bytes(600))
trace = open(sys.argv[1] + "/kernel-1.traceg").read()
write("header.traceg", trace[: trace.index("#BEGIN_TB")])
write("block.traceg", trace[: trace.index("#END_TB")])
write("warp.traceg", trace.replace("insts = 6", "insts = 7"))
write("grid.traceg", trace.replace("grid dim = (1,1,1)", "grid dim = (2,2,1)"))
write("banner.txt", "------------- NVBit (NVidia Binary Instrumentation Tool v1.7) Loaded --------------\n")
write("cut_mem_trace.txt", "MEMTRACE: CTX 0x1 - grid_launch_id 0 - CTA 0,0,0 - warp 0 - LDG.E - 0x10 0x20\n")
PY

cases=0
while IFS='	' read -r expected command message <&3; do
  case $expected in '' | '#'*) continue ;; esac
  cases=$((cases + 1))
  code=0
  timeout 120 sh -c "$command" >stdout 2>stderr </dev/null || code=$?
  [ "$code" = "$expected" ] || fail "exit code $code, expected $expected: $command"
  cat stdout stderr >both
  [ "$message" = - ] || grep -qE -e "$message" both || fail "no line matches $message: $command"
done 3<"$source_dir/tests/scripts/data/bad_input.tsv"
[ "$cases" -gt 200 ] || fail "only $cases cases were read"

cat >host.c <<'C'
#include <stdio.h>
int main(void) { puts("alive"); return 4; }
C
if cc -static -s host.c -o static_stripped 2>/dev/null; then
  run "$warplens" run ./static_stripped
  expect_code 4
  expect_in stderr 'linked statically as a whole'
fi
cc host.c -o unreadable
chmod 111 unreadable
[ -r unreadable ] || { run "$warplens" run ./unreadable; expect_code 2; expect_in stderr 'cannot be read'; }

# Damaged PTX, by a compiler that spoils what clang made of the device code: the launch fails as on a GPU, with the place.
clang=$(command -v clang-19 || command -v clang) || skip "no clang: damaged PTX not tried"
cat >spoiler <<SH
#!/bin/sh
"$clang" "\$@" || exit
for last; do :; done
case "\$*" in *--cuda-device-only*) sh "$scratch/spoil" "\$last" ;; esac
SH
chmod +x spoiler
spoiled() { # WHAT TO DO WITH \$1, EXPECTED MESSAGE
  echo "$1" >spoil
  WARPLENS_CLANG="$scratch/spoiler" run "$warplens" run --compiler clang --json report.json "$program" word
  expect_no_crash
  expect_in stderr "$2"
  expect_json report.json 'all(l["status"] in ("failed", "unknown") for l in r["launches"])' True
}
spoiled ': >"$1"' 'empty|no PTX|device code'
spoiled 'head -c 700 "$1" >"$1.cut"; mv "$1.cut" "$1"' 'program \(compute_90\):[0-9]+: error'
spoiled 'sed -i s/mul[a-z.]*f32/frobnicate.f32/ "$1"' frobnicate
spoiled 'tr -d ";" <"$1" >"$1.new"; mv "$1.new" "$1"' 'program \(compute_90\):[0-9]+: error'

# PTX of a version to come is read as far as it is understood.
echo 'sed -i "s/^.version .*/.version 99.9/" "$1"' >spoil
WARPLENS_CLANG="$scratch/spoiler" run "$warplens" run --compiler clang "$program" word
expect_code 0
expect_in stderr '99.9'
