# What GPUs counted: reports of Nsight Compute and a recording, shown, saved and compared (docs/do/measure-on-a-gpu.md).
. "$(dirname "$0")/common.sh"
data="$source_dir/tests/measured/data"

run "$warplens" import "$data/histogram.ncu-rep"
expect_code 0
expect_in stdout "measured by Nsight"
expect_in stdout "NVIDIA H200, driver 580.159"
expect_in stdout "histogram.cu:"
for file in histogram.ncu-rep transpose.ncu-rep reasons.ncu-rep histogram.jsonl raw.csv source_sass.csv source_cuda_sass.csv \
    shared_sums.csv ncu_metrics.txt ncu_details.txt ncu_summary.txt nvprof.csv nvprof.txt; do
  run "$warplens" import --json measured.json "$data/$file"
  expect_code 0
  expect_json measured.json 'r["launches"][0]["status"]' measured
  follows_schema measured.json
  mv measured.json "measured.$file.json"
  run "$warplens" report --json again.json "measured.$file.json"
  expect_code 0
  cmp -s again.json "measured.$file.json" || fail "$file: a saved report is not the same again"
done
expect_json measured.transpose.ncu-rep.json 'sum(s["sectors"] for s in r["launches"][0]["sites"] if s["op"] == "store")' 65536
expect_json measured.transpose.ncu-rep.json 'r["measured"]["gpu"]' "NVIDIA H200"

# Sums of launches: each is shown, divided where that is a number of one request, or named as left out; no access is made of them.
run "$warplens" import "$data/shared_sums.csv"
expect_in stdout '17,061,038  l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum'
expect_in stdout '16,012,462  l1tex__data_bank_conflicts'
expect_not_in stdout 'No memory that is counted'
run "$warplens" import "$data/ncu_metrics.txt"
expect_in stdout '16,384  l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum \(32.00 per request\)'
run "$warplens" import "$data/ncu_details.txt"
expect_in stdout '10.41%  Mem Busy|10.39%  Mem Busy'
expect_in stdout 'left out, not of memory: # SMs'
run "$warplens" import "$data/nvprof.csv"
expect_in stdout 'measured by nvprof on Tesla K40c'
expect_in stdout '25%  gld_efficiency'
expect_json measured.nvprof.txt.json 'r["launches"][0]["counters"]["shared_st_bank_conflict"]' 16012462.0

# Predictions and measurements are no one run.
run "$warplens" report measured.histogram.ncu-rep.json measured.raw.csv.json
expect_code 2
expect_in stderr "compare"

# The profiler and the recorder counted the same: the recorder by instruction, of the first launch.
run "$warplens" compare --kernel histogram_global "$data/histogram.ncu-rep" "$data/histogram.jsonl"
expect_code 0
expect_in stdout "1 launch without a difference"
run "$warplens" compare --kernel histogram_global --json - "$data/histogram.ncu-rep" "$data/histogram.jsonl" measured.histogram.ncu-rep.json
expect_code 0
expect_json stdout 'len(r["sides"])' 3
expect_json stdout 'r["different"]' "{}"
python3 "$source_dir/tests/scripts/schema.py" "$source_dir/docs/schema/compare-1.schema.json" stdout || fail "the schema is another"
run "$warplens" compare "$data/histogram.ncu-rep" "$data/transpose.ncu-rep"
expect_code 1

# A recording of several launches, each counted in a run of its own.
run "$warplens" compare --kernel 'widened|kept|predicated' --json - "$data/reasons.ncu-rep" "$data/reasons.jsonl"
expect_code 0
expect_json stdout 'r["launches_equal"]' 3
expect_json stdout 'r["equal"]' 46

# Pages for a browser: of what was measured, and of three sides. No name can begin markup in them.
run "$warplens" import --html page.html --report text.txt "$data/transpose.ncu-rep"
expect_code 0
expect_in page.html "transpose_naive"
mkdir '<b>' && cp "$data/histogram.jsonl" '<b>/x.jsonl'
run "$warplens" compare --html page.html "$data/histogram.ncu-rep" "$data/histogram.jsonl" '<b>/x.jsonl'
expect_in page.html "histogram_shared"
expect_in page.html 'u003cb>/x.jsonl'
[ "$(grep -c '<b>' page.html)" = 0 ] || fail "a name is markup in the page"
run "$warplens" compare --html - "$data/histogram.ncu-rep" measured.histogram.ncu-rep.json
expect_code 0
expect_in stdout "^<!doctype html>"
expect_not_in stdout "launches without a difference"

# Files that cannot be read say so.
head -c 20000 "$data/transpose.ncu-rep" > cut.ncu-rep
echo hello > other.txt
sed 's/"recording":1/"recording":99/' "$data/histogram.jsonl" > newer.jsonl
head -c 700 "$data/histogram.jsonl" > cut.jsonl
{ printf 'NVR\0'; head -c 3000 /dev/zero | tr '\0' '\377'; } > sizes.ncu-rep
head -3 "$data/raw.csv" | tr ',' ';' > semicolons.csv
head -c 900 "$data/raw.csv" > cut.csv
: > empty.csv
for file in newer.jsonl cut.jsonl sizes.ncu-rep semicolons.csv cut.csv empty.csv cut.ncu-rep other.txt "$data/source_cuda.csv" nowhere.ncu-rep; do
  run "$warplens" import "$file"
  expect_code 2
  expect_in stderr "help"
done
run "$warplens" compare --accept weather "$data/histogram.ncu-rep" "$data/histogram.jsonl"
expect_code 2
run "$warplens" record /bin/true
expect_code 2

# Predictions, where the same nvcc is installed.
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] && "$nvcc" --version | grep -q V13.0.88 || skip "the rest needs nvcc 13.0.88, with which the figures were made"
for program in histogram transpose; do
  "$nvcc" -O3 -lineinfo -cudart shared -gencode arch=compute_90,code=compute_90 "$source_dir/examples/$program.cu" -o "$program"
  run "$warplens" run --json "$program.json" "./$program"
  expect_code 0
done
run "$warplens" compare transpose.json "$data/transpose.ncu-rep"
expect_code 0
run "$warplens" compare histogram.json "$data/histogram.ncu-rep"
expect_code 1
expect_in stdout "contended"
run "$warplens" compare --accept contended histogram.json "$data/histogram.ncu-rep" "$data/histogram.jsonl"
expect_code 0
run "$warplens" compare ./transpose "$data/transpose.ncu-rep" # runs it
expect_code 0
