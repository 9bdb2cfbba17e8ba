# Single machine instructions of compute capability 9.0 compute what an H200 computed, bit for bit (tests/hardware/instructions.md).
. "$(dirname "$0")/common.sh"
data="$source_dir/tests/hardware/data/h200_instructions.tsv.gz"

# Left: approximations between the entries of the unit's tables, the bits of NaN in a matrix of doubles, a product that is rounded up
# from what .FTZ makes zero, matrices under a predicate or with half of their elements.
run "$warplens" run --code machine --report /dev/null python3 "$source_dir/tests/hardware/instructions.py" "$data"
expect_code 0
sed -n 's/^\(other\|not run\) [0-9]*\t\([^\t]*\).*/\1 \2/p' stdout | sed 's/ @!*P[0-9] / /; s/^\(.* [A-Z0-9a-z.]*\) .*/\1/' | sort | uniq -c |
  awk '{print $1, substr($0, index($0, $2))}' > left
cat > expected <<'END'
1 not run BMMA.88128.AND.POPC
1 not run HMMA.SP.16816.F32
1 not run HMMA.SP.16832.F32
1 other DMMA.16x8x16
1 other DMMA.16x8x4
1 other DMMA.16x8x8
1 other DMMA.8x8x4
1 other FMUL.FTZ
1 other MUFU.COS
1 other MUFU.EX2
1 other MUFU.LG2
2 other MUFU.RCP
1 other MUFU.RCP64H
2 other MUFU.RSQ
1 other MUFU.RSQ64H
1 other MUFU.SIN
1 other MUFU.SQRT
END
diff expected left || fail "other instructions differ from the GPU's than those that are known"
expect_in stdout '^1875 equal, 16 other, 3 not run$'
