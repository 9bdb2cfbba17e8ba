# --check race on kernels whose threads share words, most of them within one warp: what is said of each is what
# tests/hardware/data/races.tsv has beside the words of compute-sanitizer's racecheck. Nothing else is said of any.
. "$(dirname "$0")/common.sh"
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || skip "nvcc not found: the kernels use the toolkit's cooperative groups and wmma"
"$nvcc" -std=c++17 -arch=sm_90 -lineinfo -o races "$source_dir/tests/hardware/races.cu"

said() { # of each kernel, "NAME KINDS"
  json report.json '"\n".join(l["name"].split("(")[0] + " " + (",".join(sorted({d["kind"] for d in l["diagnostics"]})) or "-")
    for l in r["launches"])' | sort
}
wanted() { grep -v '^#' "$source_dir/tests/hardware/data/races.tsv" | tail -n +2 | awk -F'\t' "{ print \$1, $1 }" | sort; }

run "$warplens" run --check race --json report.json ./races
expect_code 0
said >got
wanted '$3' >expected
diff expected got >difference || fail "not as in races.tsv: $(cat difference)"

# Where a warp runs in lockstep, only what its lanes do in one instruction, or as warps, is a race.
run "$warplens" run --check race --sm 61 --json report.json ./races one_word_differs two_stores_differ sum_unordered neighbour_plain
said >got
printf '%s -\n' neighbour_plain sum_unordered two_stores_differ >expected
echo one_word_differs race-warp >>expected
sort expected | diff - got >difference || fail "lockstep: $(cat difference)"
