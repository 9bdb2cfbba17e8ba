# `record`, without a GPU: which runs it makes of a program, and what it makes of what the recorder wrote in each. A script stands for the
# program and for the library that the driver loads into it: it writes the lines that src/output/measured/recorder writes. As with CUPTI 13.0,
# a run counts the first of its launches alone; so many of them where COUNTS says so.
. "$(dirname "$0")/common.sh"

# The recorder lies beside the binary; a build without CUPTI has none.
mkdir -p here/bin here/lib/warplens
cp "$warplens" here/bin/warplens
touch here/lib/warplens/libwarplens-recorder.so
cat > program <<'SCRIPT'
#!/bin/sh
[ -z "$ALONE" ] || mkdir busy 2> /dev/null || exit 9 # while another runs
read -r word
echo "hello $word" && echo "$WARPLENS_RECORD_PASS $WARPLENS_RECORD_LAUNCH $word" >> runs.txt
[ -n "$CUDA_INJECTION64_PATH" ] || exit 1
file=$WARPLENS_RECORD/$(date +%s%N | cut -c1-16).$$.jsonl
launch() { echo "{\"launch\":$1,\"kernel\":\"k$1\",\"grid\":[$2,1,1],\"block\":[32,1,1],\"shared_bytes\":0$3}" >> "$file"; }
echo "{\"recording\":1,\"pass\":\"$WARPLENS_RECORD_PASS\",\"process\":$$,\"run\":$WARPLENS_RECORD_RUN}" > "$file"
echo '{"device":0,"gpu":"a GPU","sm":90,"chip":"X","driver":"1.2"}' >> "$file"
these=$WARPLENS_RECORD_LAUNCH n=0 counted=0
if [ "$WARPLENS_RECORD_PASS" = instructions ]; then
  [ "$these" = "${MISSING:-none}" ] && exit 3
  [ "$these" != 0,1,2 ] || [ -z "$BROKEN" ] || { echo '{"note":"CUPTI cannot be loaded"}' >> "$file"; exit 9; }
  echo '{"metrics":["smsp__sass_inst_executed","smsp__sass_sectors_mem_global"]}' >> "$file"
  echo '{"cubin":7,"image":"AAAA"}' >> "$file"
fi
while [ $n -lt 3 ] && [ $n -lt "$WARPLENS_RECORD_LAUNCHES" ]; do
  case ,${these:-$n}, in *,$n,*) ;; *) n=$((n + 1)) && continue ;; esac
  grid=$((n + 1)) rows="{\"cubin\":7,\"function\":\"k$n\",\"rows\":[[16,$((n + 1)),8]]}"
  [ "$n" = "$these" ] && [ "$n" = "$OTHER" ] && grid=99
  [ $counted -lt "${COUNTS:-1}" ] || rows=
  counted=$((counted + 1))
  case $WARPLENS_RECORD_PASS in
    counters) launch $n $grid ',"counters":{"gpu__time_duration.sum":1000}' ;;
    launches) launch $n $grid ;;
    *) launch $n $grid ",\"functions\":[$rows]" ;;
  esac
  n=$((n + 1))
done
[ -z "$ALONE" ] || { sleep 0.3 && rmdir busy; }
exit 3
SCRIPT
chmod +x program
echo input > in.txt

# One run for the counters, then one for the instructions: its output is seen once, its input read from the beginning each time.
run sh -c "COUNTS=3 here/bin/warplens record --cupti program -o all.jsonl ./program < in.txt"
expect_code 3
[ "$(cat stdout)" = "hello input" ] || fail "the output of the program is seen once: $(cat stdout)"
expect_in stderr "3 launches are in all.jsonl"
expect_not_in stderr "more time"
printf '%s\n' "counters  input" "instructions 0,1,2 input" | cmp -s - runs.txt || fail "other runs: $(cat runs.txt)"
run "$warplens" import --json all.json all.jsonl
expect_code 0
expect_json all.json '[sum(s["instructions"] for s in l["sites"]) for l in r["launches"]]' "[1, 2, 3]"

# Another for those that it left out, as long as that counts several.
rm runs.txt
run sh -c "COUNTS=2 here/bin/warplens record --cupti program --jobs 1 -o two.jsonl ./program < in.txt"
expect_code 3
printf '%s\n' "counters  input" "instructions 0,1,2 input" "instructions 2 input" | cmp -s - runs.txt || fail "other runs: $(cat runs.txt)"
run "$warplens" import --json two.json two.jsonl
expect_json two.json '[sum(s["instructions"] for s in l["sites"]) for l in r["launches"]]' "[1, 2, 3]"

# A run for each launch that was not counted there, as one does that counts no more than one.
rm runs.txt
run sh -c "here/bin/warplens record --cupti program --jobs 1 -o each.jsonl ./program < in.txt"
expect_code 3
expect_in stderr "runs 2 more times"
printf '%s\n' "counters  input" "instructions 0,1,2 input" "instructions 1 input" "instructions 2 input" | cmp -s - runs.txt ||
  fail "other runs: $(cat runs.txt)"
[ "$(grep -c cubin.*image each.jsonl)" = 1 ] || fail "machine code is kept once"
run "$warplens" import --json each.json each.jsonl
expect_code 0
expect_json each.json '[sum(s["instructions"] for s in l["sites"]) for l in r["launches"]]' "[1, 2, 3]"

# Fewer launches; no counters; input that can be read once.
rm runs.txt
run sh -c "here/bin/warplens record --cupti program --jobs 1 --launches 2 --no-counters -o two.jsonl ./program < in.txt"
expect_code 3
[ "$(tr '\n' , < runs.txt)" = "instructions  input,instructions 1 input," ] || fail "other runs: $(cat runs.txt)"
rm runs.txt
run sh -c "echo piped | here/bin/warplens record --cupti program --launches 1 -o one.jsonl ./program"
[ "$(tr '\n' , < runs.txt)" = "counters  piped,instructions 0 ," ] || fail "a pipe is read once: $(cat runs.txt)"

# Where no CUPTI is known to count them all, none is asked to.
for first in counters launches; do
  rm runs.txt && [ $first = counters ] && without= || without=--no-counters
  run sh -c "here/bin/warplens record --cupti '' $without --jobs 1 --launches 2 -o none.jsonl ./program < in.txt"
  expect_code 3
  [ "$(tr '\n' , < runs.txt)" = "$first  input,instructions 0 input,instructions 1 input," ] || fail "other runs: $(cat runs.txt)"
  run "$warplens" import --json none.json none.jsonl
  expect_json none.json '[sum(s["instructions"] for s in l["sites"]) for l in r["launches"]]' "[1, 2]"
  rm none.jsonl
done

# A program that does not do the same twice.
export MISSING=2 OTHER=1
run sh -c "here/bin/warplens record --cupti program -o other.jsonl ./program < in.txt"
expect_code 3
expect_in stderr "the run for launch 2 did not come to it"
expect_in stderr "launch 1 is 'k1' of 2×1×1 blocks"
run "$warplens" import --json other.json other.jsonl
expect_code 0
expect_json other.json '[sum(s["instructions"] for s in l["sites"]) for l in r["launches"]]' "[1, 0, 0]"
unset MISSING OTHER

# Side by side, each with its input; those that the others are in the way of are made again by themselves.
for alone in "" yes; do
  rm -f runs.txt
  run env ALONE=$alone sh -c "here/bin/warplens record --cupti program --jobs 3 -o beside.jsonl ./program < in.txt"
  expect_code 3
  expect_in stderr "runs 2 more times, 2 at once"
  expect_not_in stderr warning
  sort runs.txt | tr '\n' , > sorted.txt
  [ "$(cat sorted.txt)" = "counters  input,instructions 0,1,2 input,instructions 1 input,instructions 2 input," ] ||
    fail "other runs side by side: $(cat sorted.txt)"
  run "$warplens" import --json beside.json beside.jsonl
  expect_code 0
  expect_json beside.json '[sum(s["instructions"] for s in l["sites"]) for l in r["launches"]]' "[1, 2, 3]"
done
export MISSING=2 OTHER=1
rm runs.txt
run sh -c "here/bin/warplens record --cupti program --jobs 2 -o other.jsonl ./program < in.txt"
expect_code 3
expect_in stderr "the run for launch 2 did not come to it"
expect_in stderr "launch 1 is 'k1' of 2×1×1 blocks"
[ "$(grep -c 'instructions [12] ' runs.txt)" = 4 ] || fail "runs that differ beside others are made again: $(cat runs.txt)"
unset MISSING OTHER

# A signal ends all that run, and what was counted is kept: the run for launch 1 has ended, the one for launch 2 catches the signal.
cat > slow <<'SCRIPT'
#!/bin/sh
case $WARPLENS_RECORD_LAUNCH in
1) ./program && : ; echo $$ >> waiting ;;
2) trap 'exit 3' TERM && echo $$ >> waiting && while :; do sleep 0.05; done ;;
*) exec ./program ;;
esac
exit 3
SCRIPT
chmod +x slow
stop() { # RUNS-THAT-WAIT ARGUMENTS…: records, and ends it when so many runs wait
  waiting=$1 && shift
  rm -f waiting
  here/bin/warplens record "$@" < in.txt > /dev/null 2> stderr &
  recording=$!
  until [ "$(wc -l 2> /dev/null < waiting)" = "$waiting" ]; do sleep 0.1; done
  sleep 0.3
  kill -TERM $recording
  wait $recording && code=0 || code=$?
  for process in $(cat waiting); do ! kill -0 "$process" 2> /dev/null || fail "process $process still runs"; done
}
stop 2 --cupti program --jobs 2 -o slow.jsonl ./slow
[ $code = 3 ] || fail "an interrupted recording ends with the program's exit code, not $code"
expect_in stderr "1 of the launches is without counts by instruction"
run "$warplens" import --json slow.json slow.jsonl
expect_json slow.json '[sum(s["instructions"] for s in l["sites"]) for l in r["launches"]]' "[1, 2, 0]"

# The run for all launches, too, as far as it came.
printf '%s\n' '#!/bin/sh' './program' '[ -z "$WARPLENS_RECORD_LAUNCH" ] || { echo $$ > waiting && exec sleep 100; }' 'exit 3' > whole
chmod +x whole
rm runs.txt && COUNTS=2 && export COUNTS
stop 1 --cupti program -o whole.jsonl ./whole
unset COUNTS
[ "$(grep -c instructions runs.txt)" = 1 ] || fail "it runs again after a signal: $(cat runs.txt)"
run "$warplens" import --json whole.json whole.jsonl
expect_json whole.json '[sum(s["instructions"] for s in l["sites"]) for l in r["launches"]]' "[1, 2, 0]"

# A program that ends itself by a signal is none that was interrupted.
printf '%s\n' '#!/bin/sh' './program' 'kill -TERM $$' > ends && chmod +x ends
run sh -c "COUNTS=3 here/bin/warplens record --cupti program -o ends.jsonl ./ends < in.txt"
expect_code 143
expect_not_in stderr interrupted

# Two processes: a launch that one of them counted is not counted again with the other's.
printf '%s\n' '#!/bin/sh' 'COUNTS=3 ./program < in.txt' 'COUNTS=2 ./program < in.txt' 'exit 3' > both && chmod +x both
run here/bin/warplens record --cupti program --jobs 1 -o both.jsonl ./both
expect_code 3
run "$warplens" import --json both.json both.jsonl
expect_json both.json '[sum(s["instructions"] for s in l["sites"]) for l in r["launches"] for _ in range(l["count"])]' "[1, 1, 2, 2, 3, 3]"

# One in the first run: it is not made again.
printf '%s\n' '#!/bin/sh' './program' 'echo $$ > waiting' 'exec sleep 100' > endless && chmod +x endless && rm runs.txt
stop 1 --cupti program -o endless.jsonl ./endless
[ $code = 143 ] || fail "exit code $code after a signal in the first run"
expect_in stderr "3 of the launches are without counts by instruction"
[ "$(grep -c . runs.txt)" = 1 ] || fail "it runs again after a signal: $(cat runs.txt)"

# A CUPTI that cannot be used: a run for each launch, with the other.
rm runs.txt
run sh -c "BROKEN=yes here/bin/warplens record --cupti ./program --jobs 1 -o broken.jsonl ./program < in.txt"
expect_code 3
expect_in stderr "exit code 9, the first with 3"
expect_in stderr "CUPTI cannot be loaded"
[ "$(grep -c 'instructions [012] ' runs.txt)" = 3 ] || fail "a run for each launch: $(cat runs.txt)"
run "$warplens" import --json broken.json broken.jsonl
expect_json broken.json '[sum(s["instructions"] for s in l["sites"]) for l in r["launches"]]' "[1, 2, 3]"

# Nothing to record, nowhere to write, no program.
run here/bin/warplens record -o none.jsonl /bin/true
expect_code 2
expect_in stderr "no launch was recorded"
[ ! -e none.jsonl ] || fail "an empty recording is left"
run here/bin/warplens record -o nowhere/none.jsonl ./program
expect_code 2
run here/bin/warplens record --launches 0 ./program
expect_code 2
run here/bin/warplens record ./missing
expect_code 2
for file in ./missing here; do
  run here/bin/warplens record --cupti $file ./program
  expect_code 2
  expect_in stderr "there is no file"
done
