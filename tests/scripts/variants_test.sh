# Pairs of kernels, before and after a change, against what an H200 took for them: the same sectors, and the variant that costs
# more is the slower one. Needs the nvcc that the figures were made with, since another one may emit other PTX.
. "$(dirname "$0")/common.sh"
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || skip "nvcc not found"
hardware="$source_dir/tests/hardware"
figures="$hardware/data/h200_variants.json"
made_with=$(json "$figures" 'r["machine"]["cuda"]')
"$nvcc" --version | grep -q "V$made_with" || skip "nvcc is not $made_with, with which the figures were made"

compare() { python3 "$hardware/variants.py" compare "$1" "$2"; }
for program in variants variants_public variants_more; do
  measured="$hardware/data/h200_$program.json"
  "$nvcc" -O3 -lineinfo -cudart shared -gencode arch=compute_90,code=compute_90 "$hardware/$program.cu" -o $program
  run "$warplens" run --sm 90 --json $program.json ./$program 1
  expect_code 0
  compare "$measured" $program.json || fail "the pairs of $program are not as measured"
done
run "$warplens" run --sm 90 --json again.json ./variants 1
cmp variants.json again.json || fail "a second run counts otherwise"

# The comparison notices one sector too many, and a pair in the wrong order.
python3 - "$figures" <<'PY'
import json, sys
r = json.load(open(sys.argv[1]))
r["launches"][0]["sectors_loaded"] += 1
json.dump(r, open("wrong.json", "w"))
r = json.load(open(sys.argv[1]))
tile = r["launches"][2:4]  # neither of which waits for anything but memory
tile[0]["nanoseconds"], tile[1]["nanoseconds"] = tile[1]["nanoseconds"], tile[0]["nanoseconds"]
json.dump(r, open("turned.json", "w"))
PY
! compare wrong.json variants.json >/dev/null || fail "a wrong count was not noticed"
! compare turned.json variants.json >/dev/null || fail "a wrong order was not noticed"
