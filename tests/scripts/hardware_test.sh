# The examples, as nvcc builds them, against figures that an H100 gave for the same machine code: every count of every
# line that accesses memory is equal, or listed with its reason. Needs the nvcc that the figures were made with, since
# another one may emit other PTX.
. "$(dirname "$0")/common.sh"
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || skip "nvcc not found"
hardware="$source_dir/tests/hardware"
figures="$hardware/data/h100_examples.json"
made_with=$(json "$figures" 'r["machine"]["cuda"]')
"$nvcc" --version | grep -q "V$made_with" || skip "nvcc is not $made_with, with which the figures were made"

compare() { python3 "$hardware/compare.py" "$1" "$2" "$3" "$3.json"; }
for program in $(json "$figures" '" ".join(r["programs"])'); do
  "$nvcc" -O3 -lineinfo -cudart shared -arch=sm_90 "$source_dir/examples/$program.cu" -o "$program"
  run "$warplens" run --sm 90 --json "$program.json" "./$program"
  expect_code 0
  compare "$figures" "$hardware/data/differences.json" "$program" || fail "$program is not as measured"
done

# The comparison notices one sector too many, and a listed difference that is gone.
python3 - "$figures" <<'PY'
import json, sys
r = json.load(open(sys.argv[1]))
next(row for row in r["programs"]["matmul"][0]["lines"] if row["space"] == "global")["sectors"] += 1
json.dump(r, open("wrong.json", "w"))
entry = {"program": "matmul", "kernel": "k", "source": "s", "space": "global", "op": "load", "counts": ["sectors"], "reason": ""}
json.dump([entry], open("gone.json", "w"))
PY
! compare wrong.json "$hardware/data/differences.json" matmul >/dev/null || fail "a wrong count was not noticed"
! compare "$figures" gone.json matmul >/dev/null || fail "a difference that is gone was not noticed"
