# Runs that are stopped before their end have an answer: the launch that ran is partial, with the counts of the blocks that ran;
# it takes part in the causes; what had not started is named. After Ctrl-C, SIGTERM, SIGHUP, a time limit, a crash or an end
# in another thread.
. "$(dirname "$0")/common.sh"
mkdir temporary
export TMPDIR="$scratch/temporary"
cp "$source_dir/tests/scripts/programs/interrupted.cu" .
rounds=200 warps=2

cat >start.py <<'PY'
import os, signal, sys
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP): signal.signal(number, signal.SIG_DFL)
for name in sys.argv[1].split(","):
    if name: signal.signal(getattr(signal, name), signal.SIG_IGN)
os.setsid()
os.execv(sys.argv[2], sys.argv[2:])
PY
ignored=
start() { # OPTIONS… WORD
  rm -f report.json
  : >stdout # what the run before said
  python3 start.py "$ignored" "$warplens" run --compiler clang --json report.json --strict "$@" >stdout 2>stderr </dev/null &
  leader=$!
}
wait_until() { # COMMAND…
  for _ in $(seq 600); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.1
  done
  fail "waited 60 seconds for: $*"
}
says() { [ "$(grep -c "^$1\$" stdout)" -ge "${2:-1}" ]; }
finish() { # EXIT CODE
  code=0
  wait "$leader" || code=$?
  expect_code "$1"
  [ -z "$(ls temporary)" ] || fail "left behind: $(ls temporary)"
  follows_schema report.json
}
# to_all SIGNAL: as a terminal does it; to_us SIGNAL: as Slurm and timeout do.
to_all() { env kill -s "$1" -- "-$leader"; }
to_us() { env kill -s "$1" "$leader"; }

expect_said() { # REGEX: in a message
  json report.json '"\n".join(m["message"] for m in r["messages"])' | grep -qE -- "$1" || fail "no message matches: $1"
}

# The last launch is partial, and its counts are those of the blocks that it names.
expect_partial() {
  expect_json report.json 'r["complete"]' False
  expect_json report.json '[l["status"] for l in r["launches"] if l["name"].startswith("quick")]' "['exact']"
  python3 - report.json $rounds $warps <<'PY' || fail "the partial launch's counts do not agree"
import json, sys
r = json.load(open(sys.argv[1])); rounds, warps = int(sys.argv[2]), int(sys.argv[3])
some = [l for l in r["launches"] if l["status"] == "partial"]
assert some, [l["status"] for l in r["launches"]]
for l in some:
    blocks = l["blocks"]
    assert blocks["grid"] == 1 << 20 and 0 < blocks["counted"] < 1 << 20, blocks
    loads, each = [s for s in l["sites"] if s["op"] == "load"], rounds * warps
    counted = sum(s["instructions"] for s in loads)
    assert blocks["counted"] * each <= counted <= (blocks["counted"] + blocks["in_part"]) * each, (blocks, counted)
    for s in loads: assert s["requests"] == s["instructions"] and s["sectors"] == 32 * s["requests"], s
    assert any(k["status"] == "partial" for k in r["kernels"])
    assert any(r["kernels"][a["kernel"]]["status"] == "partial" for f in r["findings"] for a in f["accesses"]), "no cause"
PY
  expect_in stderr '^slow: launch 1 is partial: [0-9]+ of 1048576 blocks'
  expect_in stderr '^ 1\. .*slow \[partial\]'
  expect_in stderr 'Counted in part'
}

for signal in INT TERM HUP; do
  for to in to_all to_us; do
    start interrupted.cu long
    wait_until says running
    $to $signal
    case $signal in INT) finish 130 ;; TERM) finish 143 ;; HUP) finish 129 ;; esac
    expect_partial
    expect_said '4 kernels were not launched so far: .*late<3>'
  done
done
expect_said '--budget 60s'

# The saved report says the same, in every form.
run "$warplens" report report.json
expect_in stdout '^slow: launch 1 is partial: [0-9]+ of 1048576 blocks'
run "$warplens" report --details report.json
expect_in stdout 'partial: [0-9]+ of 1048576 blocks'
run "$warplens" report --json again.json --html page.html report.json
follows_schema again.json
expect_json again.json '[l["status"] for l in r["launches"]]' "['exact', 'partial']"
python3 -c 'import json; a, b = (json.load(open(f))["launches"][1]["blocks"] for f in ("report.json", "again.json")); assert a == b'
grep -q '1 launch partial, [0-9]* of 1048576 blocks' page.html || fail "the page does not say that it is partial"
run "$warplens" diff report.json again.json
expect_in stdout 'did not count it to the end: .*slow'
run "$warplens" report --fail-on uncounted-launch --findings findings.json --sarif findings.sarif --markdown findings.md report.json
grep -q 'partial, [0-9]* of 1048576 blocks' findings.sarif || fail "SARIF does not say it"

# A block that does not end for long is stopped in the middle.
start interrupted.cu one
wait_until says running
to_all INT
finish 130
expect_json report.json 'r["launches"][1]["status"], r["launches"][1]["blocks"]' "('partial', {'counted': 0, 'in_part': 1, 'grid': 1})"

# Several threads, several processes, a graph: what waits is named.
start interrupted.cu threads
wait_until says running
to_all TERM
finish 143
expect_partial
expect_said '3 launches had not started when the program was stopped: .*late<3>'
start interrupted.cu graph
wait_until says running
to_us TERM
finish 143
expect_said '2 launches had not started when the program was stopped: .*late<1>.*2 times'
start interrupted.cu processes
wait_until says running 2
to_all INT
finish 130
expect_json report.json '[l["status"] for l in r["launches"] for _ in range(l["count"])]' "['exact', 'partial', 'partial']"

# A crash, an end, or a limit of another thread's doing is no reason to lose it.
for word in crash:139 abort:134 exit:7; do
  start interrupted.cu "${word%:*}"
  finish "${word#*:}"
  expect_partial
done
start --timeout 3 interrupted.cu long
finish 3
expect_partial
expect_in stderr "kernel '[a-z<>0-9]+\\(.*' ran longer than the time limit"
# What comes after it did not run: nothing of it is like an earlier launch, and it is told from what was counted.
cat >later.cu <<'CU'
__global__ void spin(volatile int* flag, int rounds) {
  for (int i = 0; i != rounds; ++i) flag[threadIdx.x] = i;
}
__global__ void next(int* flag) { flag[0] = 1; }
int main() {
  int* flag;
  cudaMalloc(&flag, 4096);
  spin<<<1, 32>>>(flag, 4);
  spin<<<1, 32>>>(flag, -1);
  for (int i = 0; i < 3; ++i) spin<<<1, 32>>>(flag, 4), next<<<1, 32>>>(flag);
}
CU
run "$warplens" run --compiler clang --timeout 1 later.cu
expect_in stderr '^WarpLens: 2 kernels, 8 launches, PTX for'
expect_in stderr '^spin \[unknown\]  '
expect_in stderr '^next  '
# A launch with a fault of its own stays failed.
start interrupted.cu fault
finish 3
expect_json report.json 'r["launches"][1]["status"]' failed

# Before the first launch, and after the last.
start interrupted.cu no-launch
wait_until says computing
to_all INT
finish 130
expect_said 'the program was stopped before its first kernel launch'
expect_not_in stderr 'could see'
start interrupted.cu after
wait_until says computing
to_us TERM
finish 143
expect_json report.json '[l["status"] for l in r["launches"]]' "['exact']"
expect_said '5 kernels were not launched so far: .*slow'

# A program's own handler decides, and its launches run on.
start interrupted.cu handler
wait_until says running
to_all INT
finish 5
expect_in stdout '^handled$'
expect_json report.json '[l["status"] for l in r["launches"]]' "['exact', 'exact', 'exact']"

# Ignored signals stay ignored (nohup); the others do not.
ignored=SIGHUP,SIGINT
start interrupted.cu long
wait_until says running
to_all HUP
to_us HUP
to_all INT
to_us INT
kill -0 "$leader"
to_all TERM
finish 143
expect_partial
ignored=

# The second Ctrl-C ends what handles the first.
start interrupted.cu one
wait_until says running
kill -STOP "$(cut -d' ' -f1 "/proc/$leader/task/$leader/children")" # it cannot even look
to_all INT
sleep 0.3
to_all INT
code=0
wait "$leader" || code=$?
[ "$code" = 137 ] || [ "$code" = 130 ] || fail "exit code $code after two interrupts"

# Time in which the process was stopped does not count for --timeout.
cat >stopped.cu <<'CU'
#include <csignal>
#include <cstdio>
#include <thread>
#include <unistd.h>
__global__ void waiting(volatile int* flag) { while (*flag == 0) { } }
int main() {
  int* flag;
  cudaHostAlloc((void**)&flag, sizeof *flag, cudaHostAllocMapped);
  *flag = 0;
  std::thread([flag] {
    usleep(200000);
    printf("stopping\n");
    fflush(stdout);
    raise(SIGSTOP);
    usleep(500000);
    *(volatile int*)flag = 1;
  }).detach();
  waiting<<<1, 32>>>(flag);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
CU
start --timeout 4 stopped.cu
wait_until says stopping
sleep 6
child=$(cut -d' ' -f1 "/proc/$leader/task/$leader/children")
kill -CONT "$child"
finish 0
expect_in stdout '^cudaSuccess$'
