# `record`, without a GPU: which runs it makes of a program, and what it makes of what the recorder wrote in each. A script stands for the
# program and for the library that the driver loads into it: it writes the lines that src/measured/recorder writes.
. "$(dirname "$0")/common.sh"

# The recorder lies beside the binary; a build without CUPTI has none.
mkdir -p here/bin here/lib/warplens
cp "$warplens" here/bin/warplens
touch here/lib/warplens/libwarplens-recorder.so
cat > program <<'SCRIPT'
#!/bin/sh
read -r word
echo "hello $word" && echo "$WARPLENS_RECORD_PASS $WARPLENS_RECORD_LAUNCH $word" >> runs.txt
[ -n "$CUDA_INJECTION64_PATH" ] || exit 1
file=$WARPLENS_RECORD/$(date +%s%N | cut -c1-16).$$.jsonl
launch() { echo "{\"launch\":$1,\"kernel\":\"k$1\",\"grid\":[$2,1,1],\"block\":[32,1,1],\"shared_bytes\":0$3}" >> "$file"; }
counted=${WARPLENS_RECORD_LAUNCH:+",\"counted\":$WARPLENS_RECORD_LAUNCH"}
echo "{\"recording\":1,\"pass\":\"$WARPLENS_RECORD_PASS\",\"process\":$$$counted}" > "$file"
echo '{"device":0,"gpu":"a GPU","sm":90,"chip":"X","driver":"1.2"}' >> "$file"
if [ "$WARPLENS_RECORD_PASS" = instructions ]; then
  n=$WARPLENS_RECORD_LAUNCH grid=$((n + 1))
  [ "$n" = "$MISSING" ] && exit 3
  [ "$n" = "$OTHER" ] && grid=99
  echo '{"metrics":["smsp__sass_inst_executed","smsp__sass_sectors_mem_global"]}' >> "$file"
  echo '{"cubin":7,"image":"AAAA"}' >> "$file"
  launch "$n" $grid ",\"functions\":[{\"cubin\":7,\"function\":\"k$n\",\"rows\":[[16,$grid,8]]}]"
else
  n=0
  while [ $n -lt 3 ] && [ $n -lt "$WARPLENS_RECORD_LAUNCHES" ]; do
    case $WARPLENS_RECORD_PASS in
      counters) launch $n $((n + 1)) ',"counters":{"gpu__time_duration.sum":1000}' ;;
      *) launch $n $((n + 1)) ;;
    esac
    n=$((n + 1))
  done
fi
exit 3
SCRIPT
chmod +x program
echo input > in.txt

# One run for the counters, then one for each launch: its output is seen once, its input read from the beginning each time.
run sh -c "here/bin/warplens record -o all.jsonl ./program < in.txt"
expect_code 3
[ "$(cat stdout)" = "hello input" ] || fail "the output of the program is seen once: $(cat stdout)"
expect_in stderr "3 launches are in all.jsonl"
printf '%s\n' "counters  input" "instructions 0 input" "instructions 1 input" "instructions 2 input" | cmp -s - runs.txt ||
  fail "other runs: $(cat runs.txt)"
[ "$(grep -c cubin.*image all.jsonl)" = 1 ] || fail "machine code is kept once"
run "$warplens" import --json all.json all.jsonl
expect_code 0
expect_json all.json '[sum(s["instructions"] for s in l["sites"]) for l in r["launches"]]' "[1, 2, 3]"

# Fewer launches; no counters; input that can be read once.
rm runs.txt
run sh -c "here/bin/warplens record --launches 2 --no-counters -o two.jsonl ./program < in.txt"
expect_code 3
[ "$(cut -d' ' -f1,2 runs.txt | tr '\n' ,)" = "launches ,instructions 0,instructions 1," ] || fail "other runs: $(cat runs.txt)"
rm runs.txt
run sh -c "echo piped | here/bin/warplens record --launches 1 -o one.jsonl ./program"
[ "$(tr '\n' , < runs.txt)" = "counters  piped,instructions 0 ," ] || fail "a pipe is read once: $(cat runs.txt)"

# A program that does not do the same twice.
export MISSING=2 OTHER=1
run sh -c "here/bin/warplens record -o other.jsonl ./program < in.txt"
expect_code 3
expect_in stderr "the run for launch 2 did not come to it"
expect_in stderr "launch 1 is 'k1' of 2×1×1 blocks"
run "$warplens" import --json other.json other.jsonl
expect_code 0
expect_json other.json '[sum(s["instructions"] for s in l["sites"]) for l in r["launches"]]' "[1, 0, 0]"
unset MISSING OTHER

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
