# Programs that a launcher starts several times: who writes which file, and one report over all ranks. Most of it with the environment
# that launchers make; with Open MPI's mpirun where it is installed.
. "$(dirname "$0")/common.sh"
mkdir -p own
export TMPDIR="$PWD/own" # jobs of others may leave a folder in the common one

cat >ranks.cu <<'CU'
#include <cstdio>
#include <cstdlib>
#include <csignal>
#include <cstring>
__global__ void all(float* out) { out[(blockIdx.x * blockDim.x + threadIdx.x) * 2] = 1; }
__global__ void some(float* out, int rank) {
  if (rank == 1) out[threadIdx.x + 32] = 2;
  out[threadIdx.x] = 3;
}
#include <unistd.h>
int main(int count, char** words) {
  const char* text = std::getenv("OMPI_COMM_WORLD_RANK");
  if (text == nullptr) text = std::getenv("PMI_RANK");
  const int rank = std::atoi(text ? text : std::getenv("SLURM_PROCID"));
  if (count > 1 && std::strcmp(words[1], "idle") == 0 && rank == 1) return 0;
  float* out;
  cudaMalloc(&out, 1 << 20);
  all<<<rank + 1, 256>>>(out);
  if (rank < 2) some<<<1, 32>>>(out, rank);
  cudaDeviceSynchronize();
  if (count > 1 && std::strcmp(words[1], "killed") == 0 && rank == 1) std::raise(SIGKILL);
  if (count > 1 && std::strcmp(words[1], "fails") == 0 && rank == 1) return 7;
  if (count > 2 && rank == std::atoi(words[2])) return 7; // the other waits for it, as in MPI
  if (count > 2) sleep(30);
}
CU
# job N WORDS…: N ranks of "warplens WORDS…", each with its output and exit code in N.out, N.err, N.code
job() {
  size=$1 && shift
  rm -f [0-9].out [0-9].err [0-9].code
  jobs_so_far=$((${jobs_so_far:-0} + 1))
  rank=0
  while [ $rank -lt "$size" ]; do
    (
      export OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=$size OMPI_COMM_WORLD_LOCAL_SIZE=$size PMIX_NAMESPACE="$$-$jobs_so_far"
      status=0
      "$warplens" "$@" >$rank.out 2>$rank.err || status=$?
      echo $status >$rank.code
    ) &
    rank=$((rank + 1))
  done
  wait
}
codes() { [ "$(cat [0-9].code | tr '\n' ' ')" = "$1 " ] || fail "the ranks end with $(cat [0-9].code | tr '\n' ' '), expected $1: $(cat [0-9].err)"; }
moved='{l["name"].split("(")[0]: sum(s["sectors"] or 0 for k in r["launches"] if k["name"] == l["name"] for s in k["sites"]) for l in r["launches"]}'

# What jobs left that were killed whole goes with the next one, but not what a rank still holds, or what is new.
for name in old held new; do
  mkdir "$TMPDIR/warplens-ranks-$(id -u)-$name"
  echo 0 >"$TMPDIR/warplens-ranks-$(id -u)-$name/0"
done
touch -d '2 hours ago' "$TMPDIR"/warplens-ranks-*-old "$TMPDIR"/warplens-ranks-*-held
(flock -F "$TMPDIR/warplens-ranks-$(id -u)-held/0" sleep 1000 & echo $! >holds) # no job of this shell, which waits for all
while flock -n "$TMPDIR/warplens-ranks-$(id -u)-held/0" true; do sleep 0.1; done
job 2 run ranks.cu
codes "0 0"
[ "$(ls "$TMPDIR" | sed -n 's/^warplens-ranks-.*-//p' | tr '\n' ' ')" = 'held new ' ] || fail "folders of other jobs: $(ls "$TMPDIR")"
kill "$(cat holds)"
rm -r "$TMPDIR"/warplens-ranks-*

# One report on all, which is the sum of the ranks' own; rank 0 alone speaks.
job 3 run --json r.json --html all.html --sarif s.sarif ranks.cu
codes "0 0 0"
[ ! -s 1.err ] && [ ! -s 2.err ] || fail "rank 1 or 2 speaks: $(cat 1.err 2.err)"
cp 0.err stderr
expect_in stderr '2 kernels, 5 launches in 3 ranks'
expect_in stderr '^all: 3 ranks, from 2.05 kB \(rank 0\) to 6.14 kB \(rank 2\)'
expect_in stderr '^some: 2 of 3 ranks, from 128 B \(rank 0\) to 256 B \(rank 1\)'
expect_in stderr '^ranks.cu:7 \(some\): 1 of 3 ranks \(rank 1\), 128 B'
lines='{a["line"]: (a["ranks"]["count"], a["ranks"]["most"]["rank"]) for k in r["kernels"] for a in k["accesses"]}'
expect_json r.json "$lines" '{5: (3, 2), 8: (2, 0), 7: (1, 1)}'
expect_json r.json '[one["rank"] for one in r["ranks"]["there"]], r["ranks"]["of"]' '([0, 1, 2], 3)'
for name in r.json r.0.json r.1.json r.2.json all.html s.sarif; do [ -s $name ] || fail "$name is missing"; done
[ ! -e all.1.html ] || fail "rank 1 wrote a page of its own"
follows_schema r.json
total=$(json r.json "$moved")
run "$warplens" report r.0.json r.1.json r.2.json --json added.json
[ "$(json added.json "$moved")" = "$total" ] || fail "the report on all is not the sum of the ranks"
cmp -s r.json added.json || fail "files of ranks do not add up to what rank 0 wrote"
run "$warplens" report --json once.json 'r.[0-2].json' r.json
expect_in stdout 'rank 0, 1, 2 of the job is in several of the files, and counted once'
[ "$(json once.json "$moved")" = "$total" ] || fail "ranks count twice"
expect_not_in stdout 'the files are of'
sed 's/"job": *"/&earlier/' r.2.json >earlier.json
run "$warplens" report r.0.json earlier.json
expect_in stdout 'the files are of 2 jobs'
run "$warplens" report added.json
expect_in stdout '^all: 3 ranks, from 2.05 kB \(rank 0\) to 6.14 kB \(rank 2\)'
run "$warplens" report r.0.json r.2.json
expect_in stdout '2 kernels, 3 launches in 2 of 3 ranks'
"$warplens" report r.0.json r.2.json --json two.json >/dev/null
run "$warplens" diff r.json two.json
expect_in stdout 'the old run is of 3 ranks, the new one of 2'
python3 - all.html <<'PY' || fail "the page does not say what ranks did"
import json, re, sys
data = json.loads(re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', open(sys.argv[1]).read(), re.S)[1].replace("\u00a0", " "))
assert data["run"]["ranks"] == 3
assert data["kernels"][0]["parts"] == [["ranks", "3 ranks, from 2.05 kB (rank 0) to 6.14 kB (rank 2)"]]
assert ["ranks", "1 of 3 ranks (rank 1), 128 B"] in [part for a in data["accesses"] for part in a["parts"]]
PY
ls -d "${TMPDIR:-/tmp}"/warplens-ranks-* 2>/dev/null && fail "the ranks' folder is left"

# Nor is it where the ranks cannot write.
job 2 run --json nowhere/r.json ranks.cu
codes "2 2"
(ulimit -f 8 && job 2 run ranks.cu)
ls -d "$TMPDIR"/warplens-ranks-* 2>/dev/null && fail "the ranks' folder is left: $(cat 0.err 1.err)"

# Placeholders.
job 2 run --json 'own.%r.json' --report 'text.%q{OMPI_COMM_WORLD_RANK}.%%.txt' ranks.cu
codes "0 0"
expect_json own.0.json 'sorted(k["grid"][0] for k in r["launches"])' '[1, 1]'
expect_json own.1.json 'sorted(k["grid"][0] for k in r["launches"])' '[1, 2]'
for name in own.0.json own.1.json text.0.%.txt text.1.%.txt; do [ -s "$name" ] || fail "$name is missing"; done
# A variable may be the same for several ranks, as the machine is: then it is one file on all.
X=same job 2 run --json 'same.%q{X}.json' --html 'same.%h.html' ranks.cu
codes "0 0"
expect_json same.same.json '[one["rank"] for one in r["ranks"]["there"]]' '[0, 1]'
expect_in 0.err "'same.same.json' has all ranks"
for name in same.same.0.json same.same.1.json "same.$(uname -n).html"; do [ -s "$name" ] || fail "$name is missing"; done
# The same in what other commands write.
named() { OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_SIZE=2 run "$warplens" "$@"; }
named report own.0.json --json 'report.%r.json' --html 'report.%q{LC_ALL}.html' --sarif 'report.%%.sarif' --report "report.%h"
named diff own.0.json own.1.json --json 'diff.%r.json' --report 'diff.%h'
named check ranks.cu --findings 'check.%r.json' --sarif 'check.%q{LC_ALL}.sarif' --html 'check.%%.html'
named explain 'a[threadIdx.x]' --html 'explain.%r.html'
host=$(uname -n)
for name in report.1.json report.C.html report.%.sarif "report.$host" diff.1.json "diff.$host" check.1.json check.C.sarif check.%.html explain.1.html; do
  [ -s "$name" ] || fail "$name is missing: $(ls)"
done
for words in "report own.0.json" "diff own.0.json own.1.json" "check ranks.cu"; do
  # shellcheck disable=SC2086
  named $words --html 'x.%z.html'
  expect_code 2
  expect_in stderr "has a '%' with nothing that it stands for"
done
run "$warplens" run --json 'x.%z.json' ranks.cu
expect_code 2
expect_in stderr "has a '%' with nothing that it stands for"
run "$warplens" run --json 'x.%q{NOT_SET_HERE}.json' ranks.cu
expect_code 2
expect_in stderr "'NOT_SET_HERE', which is not set"

# Ranks with options of their own: rank 0 writes for all, and says what it does not write.
(
  export OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_SIZE=2 PMIX_NAMESPACE="$$-several"
  OMPI_COMM_WORLD_RANK=1 "$warplens" run --json second.json --html second.html ranks.cu >1.out 2>1.err &
  OMPI_COMM_WORLD_RANK=0 "$warplens" run --json first.json --html first.html ranks.cu >0.out 2>stderr || true
  wait
)
expect_in stderr "'--html second.html' of rank 1 is not written"
expect_in stderr "'--json second.json'" # the same of it
expect_not_in stderr 'first.html. of rank'
[ -s second.1.json ] && [ -s first.html ] && [ ! -e second.html ] || fail "files of ranks with options of their own: $(ls)"

# Every rank on request, with its number in front.
job 2 run --every-rank ranks.cu
grep -q '^\[1\] WarpLens: 2 kernels' 1.err || fail "rank 1 does not speak: $(cat 1.err)"
grep -q '^\[0\] WarpLens: 2 kernels, 2 launches' 0.err || fail "rank 0's own report is missing: $(cat 0.err)"
grep -q '^WarpLens: 2 kernels, 4 launches' 0.err || fail "the report on all is missing: $(cat 0.err)"

# Nobody waits for a rank where rank 0 runs without WarpLens: it reports for itself.
OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_SIZE=2 PMIX_NAMESPACE="$$-alone" \
  "$warplens" run --json one.json --html one.html ranks.cu >1.out 2>stderr || fail "alone: $(cat stderr)"
expect_in stderr 'rank 0 reports nothing: this is rank 1 alone'
expect_in stderr '^WarpLens: 2 kernels, 2 launches'
[ -s one.1.json ] && [ -s one.1.html ] && [ ! -e one.json ] || fail "files of rank 1 alone: $(ls)"
ls -d "${TMPDIR:-/tmp}"/warplens-ranks-* 2>/dev/null && fail "the ranks' folder is left"

# A rank that is killed, one that fails, one that is refused: each is told, and nothing is lost.
job 2 run --json k.json ranks.cu killed
cp 0.err stderr
expect_json k.0.json 'len(r["launches"])' 2
expect_in stderr 'rank 1 was killed by signal 9'
codes "0 137"
job 2 run --strict ranks.cu fails
codes "0 7"
# The other rank would wait for it for ever, and the launcher kill it without a report as soon as the first process has ended.
for failing in 0 1; do
  job 2 run --json f.json ranks.cu waits $failing
  codes "7 7"
  cp 0.err stderr
  expect_in stderr "rank $failing ended with exit code 7; the others were then ended"
  expect_json f.json '[one["rank"] for one in r["ranks"]["there"]]' '[0, 1]'
done
"$warplens" run ranks.cu >/dev/null 2>&1 </dev/null || true # compiled already: what follows is about ranks alone
(
  export OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_SIZE=2 PMIX_NAMESPACE="$$-refused"
  OMPI_COMM_WORLD_RANK=1 "$warplens" run ./not-there >1.out 2>1.err &
  OMPI_COMM_WORLD_RANK=0 "$warplens" run ranks.cu >0.out 2>stderr || true
  wait
)
expect_in stderr 'rank 1 is not in this report: .*not-there'
# The disk of rank 1 is full: it says so, and rank 0 has what it counted. What says why may be empty then.
ln -s /dev/full full.1.json
job 2 run --json full.json ranks.cu
codes "0 2"
grep -q "cannot write 'full.1.json'" 1.err || fail "rank 1 does not say that its disk is full: $(cat 1.err)"
expect_json full.json '[one["rank"] for one in r["ranks"]["there"]]' '[0, 1]'
(
  export OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_SIZE=2 PMIX_NAMESPACE="$$-empty"
  OMPI_COMM_WORLD_RANK=0 "$warplens" run ranks.cu >0.out 2>stderr &
  until [ -d "$(echo "$TMPDIR"/warplens-ranks-*)" ]; do sleep 0.05; done
  : >"$(echo "$TMPDIR"/warplens-ranks-*)/1.refused"
  wait
)
expect_in stderr 'rank 1 is not in this report: it was refused'
# WarpLens itself is killed in rank 1.
(
  export OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_SIZE=2 PMIX_NAMESPACE="$$-gone"
  OMPI_COMM_WORLD_RANK=1 "$warplens" run sleep 30 >1.out 2>1.err &
  gone=$!
  (sleep 1; kill -9 $gone) &
  OMPI_COMM_WORLD_RANK=0 "$warplens" run --strict ranks.cu >0.out 2>stderr && fail "--strict holds without rank 1"
  wait
)
expect_in stderr 'rank 1 is not in this report: it ended without a report'

# A rank that launches nothing is no reason to warn.
job 2 run ranks.cu idle
cp 0.err stderr
expect_in stderr '^all: 1 of 2 ranks \(rank 0\)'
expect_not_in stderr 'launched no CUDA kernel'

# A budget that has ended one rank's program ends all: the others wait for ever for what it would send, whatever they do with signals.
cat >together.cu <<'CU'
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
__global__ void walk(int* out, int rounds) { // where data lead, so that nothing is proved
  int at = blockIdx.x + threadIdx.x;
  for (int i = 0; i < rounds; ++i) at = out[at & 4095] + i;
  out[at & 4095] = at;
}
int main(int, char** words) {
  const int rank = std::atoi(std::getenv("OMPI_COMM_WORLD_RANK")), waits = std::atoi(words[1]);
  if (std::strcmp(words[2], "deaf") == 0) std::signal(SIGTERM, SIG_IGN);
  if (std::strcmp(words[2], "handles") == 0) std::signal(SIGTERM, [](int) { std::_Exit(9); });
  if (std::strcmp(words[2], "late") == 0 && rank == 0) std::signal(SIGTERM, [](int) { sleep(1), std::_Exit(0); });
  int* out;
  cudaMalloc(&out, 1 << 20);
  walk<<<1, 64>>>(out, 3);
  cudaDeviceSynchronize();
  if (waits == 2) std::fclose(std::fopen(rank == 0 ? "0.runs" : "1.runs", "w"));
  for (volatile bool ever = true; (rank == waits || waits == 2) && ever;) {}
  for (int i = 0; i < 100; ++i) walk<<<400, 64>>>(out, 1000 + i);
  cudaDeviceSynchronize();
}
CU
for words in "0 dies" "1 dies" "0 deaf" "1 handles"; do
  # shellcheck disable=SC2086 # two words
  job 2 run --compiler clang --budget-work 200000 --json t.json together.cu $words
  codes "0 0"
  cp 0.err stderr
  expect_in stderr 'launches in 2 ranks'
  expect_in stderr 'ended to stay within its budget'
  expect_not_in stderr 'killed by signal|is not in this report'
  for name in t t.0 t.1; do expect_json $name.json 'r["program"]["stopped"]' budget; done
done
ls -d "${TMPDIR:-/tmp}"/warplens-ranks-* 2>/dev/null && fail "the ranks' folder is left"

# Open MPI kills all ranks as soon as the first has ended after a Ctrl-C: none ends before rank 0 has reported.
export OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_SIZE=2 PMIX_NAMESPACE="$$-interrupted"
OMPI_COMM_WORLD_RANK=0 "$warplens" run --compiler clang --json late.json together.cu 2 late >0.out 2>stderr &
first=$!
OMPI_COMM_WORLD_RANK=1 "$warplens" run --compiler clang --json late.json together.cu 2 late >1.out 2>1.err &
other=$!
while [ ! -e 0.runs ] || [ ! -e 1.runs ]; do sleep 0.1; done
kill -TERM $first $other
wait $other || true
[ -s late.json ] || fail "rank 1 ends before rank 0 has reported"
wait $first || fail "rank 0: $(cat stderr)"
expect_in stderr 'launches in 2 ranks'
unset OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_LOCAL_SIZE PMIX_NAMESPACE
ls -d "${TMPDIR:-/tmp}"/warplens-ranks-* 2>/dev/null && fail "the ranks' folder is left"

# What only some ranks do is held against what these cost. Ranks that move nearly the same did not do the same.
cat >rare.cu <<'CU'
#include <cstdlib>
__global__ void all(float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i * 2] = 1;
}
__global__ void rare(float* out) { out[(blockIdx.x * blockDim.x + threadIdx.x) * 8] = 1; }
int main(int, char** words) {
  const int rank = std::atoi(std::getenv("OMPI_COMM_WORLD_RANK"));
  float* out;
  cudaMalloc(&out, 1 << 24);
  all<<<400, 256>>>(out, 400 * 256 - (rank == 1 ? std::atoi(words[1]) : 0));
  if (rank == 1 && words[2] != nullptr) rare<<<2, 256>>>(out);
}
CU
job 3 run --compiler clang rare.cu 0 rare
cp 0.err stderr
expect_in stderr '^ 2\. .*rare.cu:6|^ 2\. .*\(rare\)'
job 2 run --compiler clang rare.cu 0
cp 0.err stderr
expect_in stderr '^Each of 2 ranks did the same\.'
job 2 run --compiler clang rare.cu 8
cp 0.err stderr
expect_in stderr '^Each of 2 ranks moved nearly the same amount\.'

# A batch script is no rank; srun's tasks are.
SLURM_PROCID=0 SLURM_NTASKS=4 SLURM_JOB_ID=7 "$warplens" run --json batch.json ranks.cu >/dev/null 2>stderr || fail "in a batch script: $(cat stderr)"
expect_not_in stderr 'launches in'
for rank in 0 1; do
  # With srun --mpi=pmi2 there are variables of PMI, too. Each machine has a parent of its own.
  PMI_RANK=$rank PMI_SIZE=2 SLURM_PROCID=$rank SLURM_STEP_NUM_TASKS=2 SLURM_STEP_TASKS_PER_NODE="1(x2)" SLURM_JOB_ID=$$ SLURM_STEP_ID=1 \
    sh -c '"$0" run --json srun.json ranks.cu; exit $?' "$warplens" >$rank.out 2>$rank.err &
done
wait
cp 0.err stderr
expect_in stderr 'launches in 2 ranks' # of two machines, so in the working directory
# Hydra has a proxy on each machine. All call mpiexec at one address.
for rank in 0 1; do
  PMI_RANK=$rank PMI_SIZE=2 MPI_LOCALNRANKS=1 \
    sh -c '"$0" run ranks.cu; exit $?' "$warplens" --control-port here:$$ --proxy-id $rank >$rank.out 2>$rank.err &
done
wait
cp 0.err stderr
expect_in stderr 'launches in 2 ranks'
ls -d warplens-ranks-* 2>/dev/null && fail "the ranks' folder is left"

# One trace over several ranks: what is printed is to the byte what one process prints, whatever is wrong with the file.
python3 - <<'PY'
def pattern(n, end="}"):
    return '{"id":%d,"space":"global","op":"load","bytes":%d,"mask":"0xffffffff","addresses":%s%s' % (
        n, 8 if n % 1500 == 0 else 4, [4 * n % 64 + lane * (n % 9) * 4 for lane in range(32)], end)
whole = [pattern(n) for n in range(13000)]
open("whole.jsonl", "w").write("\n".join(whole))
broken = list(whole)
for n in (4095, 4096, 9000):
    broken[n] = pattern(n, "")
open("broken.jsonl", "w").write("\n".join(broken))
open("long.jsonl", "w").write("\n".join(whole[:8000] + ["x" * (2 << 20)] + whole[8000:]))
lines = ["-kernel name = k", "-grid dim = (1,1,1)", "#traces format = [line_num] PC mask", "#BEGIN_TB", "thread block = 0,0,0", "warp = 0"]
lines.append("insts = 10000")
lines += ["0008 ffffffff 1 R1 %s 1 R2 4 1 0x7f%04x 4" % ("TEX" if n % 3 == 0 else "LDG.E", n) for n in range(10000)]
open("kernel.traceg", "w").write("\n".join(lines + ["#END_TB", ""]))
open("cut.traceg", "w").write("\n".join(lines[:-200] + ["#END_TB", ""]))
PY
gzip -k whole.jsonl
for words in whole.jsonl "--json --sm 90,20 whole.jsonl.gz" "--keep-going broken.jsonl" "--json broken.jsonl" "--keep-going long.jsonl" \
  kernel.traceg "--keep-going cut.traceg" not-there; do
  code=0
  # shellcheck disable=SC2086 # several words
  "$warplens" replay $words >alone.out 2>alone.err || code=$?
  for size in 2 3; do
    # shellcheck disable=SC2086
    job $size replay $words
    [ "$(cat 0.code)" = $code ] || fail "replay $words: $size ranks end with $(cat 0.code), one with $code"
    cmp -s 0.out alone.out && cmp -s 0.err alone.err || fail "replay $words: $size ranks print something else than one"
    [ ! -s 1.out ] && [ ! -s 1.err ] || fail "replay $words: rank 1 speaks"
  done
done
# A rank that never comes: rank 0 counts its part.
"$warplens" replay --json whole.jsonl >alone.out
OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_SIZE=2 PMIX_NAMESPACE="$$-one" \
  "$warplens" replay --json whole.jsonl >0.out 2>stderr || fail "replay without rank 1: $(cat stderr)"
expect_in stderr 'rank 0 counts the part of rank 1: it never began'
cmp -s 0.out alone.out || fail "replay without rank 1 prints something else"
job 2 replay - <whole.jsonl
ls -d "${TMPDIR:-/tmp}"/warplens-ranks-* 2>/dev/null && fail "the ranks' folder is left"

# MPI reads device memory itself: a launch that is counted by proof has written its results when the program gives it a pointer.
cat >look.cpp <<'CPP'
#include <csignal>
extern "C" float look(const float* p) { return *p; }
extern "C" int MPI_Abort(void*, int) { return std::raise(SIGKILL); } // what a launcher makes of it
CPP
c++ -shared -fPIC look.cpp -o libmpi.so.40 -Wl,-soname,libmpi.so.40
cat >aware.cu <<'CU'
#include <cstdio>
extern "C" float look(const float*);
extern "C" int MPI_Abort(void*, int);
__global__ void add(float* out) { out[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
int main(int count, char**) {
  float* out;
  cudaMalloc(&out, 64 * 256 * 4);
  cudaMemset(out, 0, 64 * 256 * 4);
  for (int i = 1; i <= 3; ++i) {
    add<<<64, 256>>>(out);
    cudaDeviceSynchronize();
    std::printf("%g ", look(out + 999));
  }
  return count > 1 ? MPI_Abort(nullptr, 5) : 0;
}
CU
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if [ -x "$nvcc" ]; then
  "$nvcc" -cudart shared -arch=sm_90 aware.cu -o aware -Xlinker "$PWD/libmpi.so.40" -Xlinker -rpath="$PWD"
  run "$warplens" run --proofs always ./aware
  expect_code 0
  [ "$(cat stdout)" = "1 2 3 " ] || fail "what MPI reads: $(cat stdout)"
  # A launcher kills all ranks at MPI_Abort: a rank ends without it, and what it printed is there.
  job 2 run --json abort.json ./aware abort
  codes "5 5"
  [ "$(cat 1.out)" = "1 2 3 " ] || fail "before MPI_Abort: $(cat 1.out)"
  expect_json abort.json '[one["rank"] for one in r["ranks"]["there"]]' '[0, 1]'
fi

if command -v mpirun.openmpi >/dev/null; then
  run mpirun.openmpi --allow-run-as-root --oversubscribe -n 4 "$warplens" run --json mpi.json ranks.cu
  expect_code 0
  expect_in stderr 'launches in 4 ranks'
  [ -s mpi.3.json ] || fail "rank 3 left nothing"
fi
if command -v mpirun.mpich >/dev/null; then # a proxy for each name of this machine
  run mpirun.mpich -launcher fork -hosts localhost,127.0.0.1 -n 4 "$warplens" run --json hydra.json ranks.cu
  expect_code 0
  expect_in stderr 'launches in 4 ranks'
fi
