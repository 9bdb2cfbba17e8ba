# What --sarif writes, held to the standard's own schema, which a package of npm has; skipped where that cannot be had.
# program.gates holds it to the part that we write.
. "$(dirname "$0")/common.sh"
cp "$source_dir/tests/scripts/programs/findings.cu" app.cu
sed -i 's|\(out\[i\] = .*\)|\1 // warplens: ignore uncoalesced-load: given|' app.cu
sed -i 's|\(out\[threadIdx.*\)|\1 // warplens: expect wavefronts<=1|' app.cu
run "$warplens" run --compiler clang --sarif plain.sarif --write-baseline known.json app.cu
expect_code 1
run "$warplens" run --compiler clang --sarif compared.sarif --baseline known.json --json run.json app.cu 4
expect_code 1
code=0
python3 "$source_dir/tests/scripts/sarif.py" plain.sarif compared.sarif >stdout || code=$?
[ "$code" != 77 ] || skip "$(cat stdout)"
expect_code 0
sed 's/"startLine": [0-9]*/"startLine": 0/' plain.sarif >spoilt.sarif
run python3 "$source_dir/tests/scripts/sarif.py" spoilt.sarif
expect_code 1
