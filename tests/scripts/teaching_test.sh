# What teaching material says of common accesses is what `check` says: the verdicts and counts beside the lines of teaching.cu.
. "$(dirname "$0")/common.sh"
program="$source_dir/tests/scripts/programs/teaching.cu"
run "$warplens" check --compiler clang --no-config --fail-on never --verdicts verdicts.json --sm 90,70 "$program"
expect_code 0
cat >compare.py <<'PY'
import json, re, sys
EXPECTED = re.compile(r"// ([a-z-]+) (\d+)(?: to (\d+))?(?: if (\d+))?$")
said, good, lines = {}, True, 0
for access in json.load(open(sys.argv[1]))["accesses"]:
    if not access["other_shape"]:
        said.setdefault(access["line"], []).append(access)
for number, text in enumerate(open(sys.argv[2]), 1):
    expected = EXPECTED.search(text.rstrip())
    if not expected:
        continue
    verdict, least, most, better = expected.groups()
    lines += 1
    accesses = said.get(number, [])
    for access in accesses or [None]:
        counter = access and ("wavefronts" if access["access"]["space"] == "shared" else "sectors")
        got = access and [(c[counter]["least"], c[counter]["most"]) for c in access["costs"]]
        under = access and [c["under_conditions"] and c["under_conditions"][counter]["most"] for c in access["costs"]]
        right = access and access["verdict"] == verdict and all(g == (int(least), int(most or least)) for g in got)
        right = right and all(u == (int(better) if better else None) for u in under)
        if not right:
            good = False
            print(f"{number}: {text.strip()}: said {access and access['verdict']} {got} {under} {access and access['conditions']}")
print(f"{lines} lines")
sys.exit(0 if good and lines > 40 else 1)
PY
python3 compare.py verdicts.json "$program" >said || fail "$(cat said)"
sed 's/coalesced 4$/coalesced 3/' "$program" >wrong.cu
! python3 compare.py verdicts.json wrong.cu >/dev/null || fail "a wrong verdict was not noticed"

python3 "$source_dir/tests/scripts/schema.py" "$source_dir/docs/schema/verdicts-1.schema.json" verdicts.json ||
  fail "the verdicts are not what their schema says"
run "$warplens" check --compiler clang --no-config --all --fail-on never --sm 90,70 "$program"
expect_in stdout 'teaching.cu:[0-9]+:[0-9]+: coalesced: load of 4 bytes from .a.; 9.0: 4 sectors, 1 tag, 1 tag pass, 1 request; 7.0: 4 sectors, 1 tag, 1 tag pass, 1 request'
