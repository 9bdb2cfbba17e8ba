# Findings of a run in every form, and the gates of CI: thresholds, baselines, comments in the source, .warplens.toml; what is
# malformed is told with its place.
. "$(dirname "$0")/common.sh"
cp "$source_dir/tests/scripts/programs/findings.cu" app.cu
gate() { run "$warplens" run --compiler clang "$@"; }
findings_schema="$source_dir/docs/schema/findings-1.schema.json"
sarif_part="$source_dir/tests/scripts/data/sarif_part.schema.json"
follows() { python3 "$source_dir/tests/scripts/schema.py" "$1" "$2" >&2 || fail "$2 does not follow $1"; }
rules='sorted((f["rule"], f["line"]) for f in r["findings"])'

# Forms.
gate --json run.json --sarif out.sarif --findings out.json --markdown out.md --warnings --github app.cu
expect_code 0
follows "$sarif_part" out.sarif
follows "$findings_schema" out.json
expect_json out.json "$rules" "[('bank-conflict', 16), ('uncoalesced-load', 5)]"
load='next(f for f in r["findings"] if f["line"] == 5)'
expect_json out.json "$load[\"costs\"][0][\"average\"], $load[\"costs\"][0][\"needed\"], $load[\"costs\"][0][\"fixed\"]" '(32.0, 4.0, 4.0)'
expect_json out.json "$load[\"inlined_at\"][0][\"line\"], $load[\"file\"], $load[\"source\"][:10]" "(9, 'app.cu', '__device__')"
expect_in stderr '^app\.cu:5:[0-9]+: warning: load of 4 bytes from .a.: stride 128 bytes \(32 floats\) \[uncoalesced-load\]$'
expect_in stderr '^ +\^$'
expect_in stderr '^  note: 32 sectors per request where 4 would do \(9\.0\); 4 after the fix$'
expect_in stderr '^app\.cu:9:[0-9]+: note: inlined here$'
expect_in stderr '^app\.cu:16:.*32-way bank conflict.* \[bank-conflict\]$'
expect_in stderr '^::warning file=app\.cu,line=5,col=[0-9]+,title=uncoalesced-load::load of 4 bytes'
expect_in out.md '^\| app\.cu:16 \| warning \| bank-conflict \|'
expect_json out.sarif '[len(x["threadFlows"][0]["locations"]) for x in next(x for x in r["runs"][0]["results"] if x["ruleId"] == "uncoalesced-load")["codeFlows"]]' '[2]'
gate --sarif - app.cu
expect_code 0
python3 -m json.tool stdout >/dev/null || fail "--sarif - writes more than SARIF"

# A saved run gives the same findings.
run "$warplens" report run.json --findings again.json --sarif again.sarif
expect_code 0
cmp out.json again.json || fail "report finds something else"
cmp out.sarif again.sarif || fail "report finds something else"

# Thresholds. The program's own exit code goes before.
for pass in error never 'sectors-per-request>32' 'wavefronts>32' 'excess>99%' same-address-atomic; do
  run "$warplens" report run.json --fail-on "$pass"
  expect_code 0
done
for break in note warning bank-conflict 'never,sectors > 31' 'wavefronts-per-instruction>=32' 'excess>50%'; do
  run "$warplens" report run.json --fail-on "$break"
  expect_code 1
  expect_in stdout '^warplens: .*fails?$'
done
run "$warplens" report run.json --fail-on error --rule bank-conflict=error
expect_code 1
run "$warplens" report run.json --fail-on warning --rule bank-conflict=off --rule uncoalesced-load=note
expect_code 0
gate --fail-on warning app.cu 32 7
expect_code 7
gate --fail-on warning app.cu 1 0
expect_code 1
expect_in stderr '^  note: fails: warning$'
run "$warplens" report run.json --fail-on warnin
expect_code 2
expect_in stderr "did you mean 'warning'"

# Baselines: what is known passes, wherever its line went; what is new or worse does not.
gate --write-baseline known.json app.cu 4
expect_code 0
gate --baseline known.json --findings out.json app.cu 4
expect_code 0
expect_json out.json 'sorted({f["baseline"] for f in r["findings"]})' "['unchanged']"
sed -i '1i // one line more' app.cu
gate --baseline known.json app.cu 4
expect_code 0
gate --baseline known.json --findings out.json app.cu 32
expect_code 1
expect_json out.json '[(f["baseline"], f["line"]) for f in r["findings"] if f["fails"]]' "[('worse', 6)]"
expect_in stderr 'the baseline has [0-9]+ sectors'
sed -i 's/tile\[threadIdx.x\]\[threadIdx.y\]/tile[threadIdx.x][threadIdx.y ^ 0]/' app.cu
gate --baseline known.json app.cu 4
expect_code 0 # the line was edited
expect_not_in stderr 'no more'
sed -i 's/.*= tile\[threadIdx.x\].*/  int row = threadIdx.x;\n  float v = tile[row][3 + (threadIdx.y \& 28)];\n  out[threadIdx.y * 32 + threadIdx.x] = v;/' app.cu
gate --baseline known.json --findings out.json app.cu 4
expect_code 1 # this is another line, and it is not where that was
expect_json out.json '[(f["baseline"], f["line"]) for f in r["findings"] if f["fails"]]' "[('new', 18)]"
expect_in stderr 'a finding of the baseline is no more'
gate --baseline known.json --write-baseline known.json app.cu 4
expect_code 0 # brought up to date
gate --baseline known.json --fail-on note app.cu 4
expect_code 0
echo '{"kind":' >broken.json
gate --baseline broken.json app.cu
expect_code 2
expect_in stderr "^warplens: broken.json:2:.*is not JSON"
gate --baseline absent.json app.cu
expect_code 2

# Costs on another GPU are not compared, so that nothing is decided; a baseline of the other command is named.
gate --sm 80 --baseline known.json --sarif out.sarif app.cu 4
expect_code 2
expect_in stderr 'the baseline has no costs for compute capability 8.0'
expect_json out.sarif 'r["runs"][0]["invocations"][0]["executionSuccessful"]' False
run "$warplens" check --compiler clang --baseline known.json app.cu
expect_in stderr '^warplens: the baseline is of warplens run'

# Comments in the source.
comment() { sed "s|\(out\[i\] = .*\)|\1 // warplens: $1|" "$source_dir/tests/scripts/programs/findings.cu" >said.cu; }
comment 'expect sectors<=32'
gate said.cu
expect_code 0
comment 'expect sectors<=4'
gate --sarif out.sarif said.cu
expect_code 1
expect_in stderr '^said\.cu:5:[0-9]+: error: .*: expected sectors<=4 \[failed-expectation\]$'
expect_in stderr '^said\.cu:9:[0-9]+: note: expected here$'
follows "$sarif_part" out.sarif
gate said.cu 1
expect_code 0
gate said.cu 32 7
expect_code 7
comment 'ignore uncoalesced-load: the stride is given'
gate --fail-on uncoalesced-load --sarif out.sarif --json run.json said.cu
expect_code 0
follows "$sarif_part" out.sarif
expect_json out.sarif '[x["suppressions"][0]["justification"] for x in r["runs"][0]["results"] if x["suppressions"]]' "['the stride is given']"
gate said.cu 1
expect_code 1
expect_in stderr "^said\.cu:9:.*error: there is no 'uncoalesced-load' to ignore \[unused-suppression\]"
run "$warplens" report run.json --fail-on uncoalesced-load
expect_code 0
sed -i 's/out\[i\] = far/out[i] =  far/' said.cu
run "$warplens" report run.json --fail-on uncoalesced-load
expect_code 1
expect_in stdout '\[unchecked-comment\]'
comment 'ignore uncoalesced-lode: why'
gate said.cu
expect_code 1
expect_in stderr '^said\.cu:9:31: error: .*there is no rule .uncoalesced-lode. \[malformed-comment\]'
expect_in stderr "did you mean 'uncoalesced-load'"
sed 's|^int main|// warplens: expect sectors<=4\n&|' "$source_dir/tests/scripts/programs/findings.cu" >said.cu
gate said.cu
expect_code 0
expect_in stderr 'note: nothing was counted at the line .*\[unchecked-comment\]'
gate --fail-on unchecked-comment said.cu
expect_code 1
gate --rule unchecked-comment=error said.cu
expect_code 1

# .warplens.toml, from the working directory up; the command line wins.
mkdir -p project/sub
cp "$source_dir/tests/scripts/programs/findings.cu" project/sub/app.cu
cat >project/.warplens.toml <<'TOML'
sm = "70"
fail-on = "warning"
[severity]
bank-conflict = "note"
[paths]
exclude = ["other/**"]
TOML
cd project/sub
gate --findings out.json app.cu
expect_code 1
expect_json out.json '[(f["severity"], f["costs"][0]["sm"]) for f in r["findings"]]' "[('warning', 70), ('note', 70)]"
gate --fail-on never --sm 90 --rule bank-conflict=off --findings out.json app.cu
expect_code 0
expect_json out.json '[f["costs"][0]["sm"] for f in r["findings"]]' '[90]'
gate --no-config app.cu
expect_code 0
sed -i 's/other/sub/' ../.warplens.toml
gate --findings out.json app.cu
expect_code 0
expect_json out.json 'r["findings"]' '[]'
printf 'sm = "70"\nfail-on = [\n  "warning",\n  "sectors=>3"]\n' >../.warplens.toml
gate app.cu
expect_code 2
expect_in stderr '/project/\.warplens\.toml:4:3: error: .=>. is none of'
gate --config absent.toml app.cu
expect_code 2
cd ../..

# check judges the code alone, and is held to the same.
cp "$source_dir/tests/scripts/programs/findings.cu" app.cu
sed -i 's|\(out\[threadIdx.y.*\)|\1 // warplens: expect wavefronts<=1|' app.cu
check() { run "$warplens" check --compiler clang --block 32,32 "$@"; }
check --sarif out.sarif --findings out.json --markdown out.md --github app.cu
expect_code 1
follows "$sarif_part" out.sarif
follows "$findings_schema" out.json
expect_json out.json '[(f["line"], f["file"]) for f in r["findings"] if f["rule"] == "failed-expectation"]' "[(16, 'app.cu')]"
expect_in stdout '^app\.cu:16:[0-9]+: warning: .*\[bank-conflict\]$'
expect_in stdout '^::warning file=app\.cu,line=16,.*title=bank-conflict::'
sed -i 's|// warplens.*|// warplens: ignore bank-conflict: shown to students|' app.cu
check app.cu --rule uncoalesced-load=note --sarif -
expect_code 0
python3 -m json.tool stdout >/dev/null || fail "--sarif - writes more than SARIF"
check app.cu --write-baseline known.json
expect_code 0
check app.cu --baseline known.json
expect_code 0
sed -i 's|ignore bank-conflict|ignore bank-conflict, repeated-load|' app.cu # which only a run can tell
check app.cu --rule uncoalesced-load=note
expect_code 0
check app.cu --rule uncoalesced-load=off --rule bank-conflict=off --baseline known.json
expect_code 0
expect_in stderr 'of the baseline (is|are) left out, by --rule or .warplens.toml$'
expect_not_in stderr 'no more'
# What was not judged is not gone from the baseline: a source that does not compile, other kernels, what only a run finds.
cat >two.cu <<'CU'
__global__ void first(float* a) { a[threadIdx.x * 8] = 1; }
__global__ void second(float* a) { a[threadIdx.x * 16] = 1; }
int main() {
  float* a;
  cudaMalloc(&a, 1 << 16);
  first<<<1, 32>>>(a);
  cudaDeviceSynchronize();
}
CU
check two.cu --write-baseline two.json
check two.cu --baseline two.json --fail-on 'sectors-per-request>8'
expect_code 0
expect_in stderr "^warplens: 2 known findings exceed 'sectors-per-request>8' and pass$"
check two.cu --baseline two.json --kernel first
expect_code 0
expect_not_in stderr 'no more'
check two.cu --baseline two.json --compile-options=-include=nowhere.h
expect_code 2
expect_not_in stderr 'no more'
gate --baseline two.json two.cu
expect_code 0
expect_not_in stderr 'no more'
gate --write-baseline run.json two.cu
sed -i 's/  first<<</  second<<</' two.cu
gate --baseline run.json two.cu
expect_code 1
expect_not_in stderr 'no more'
sed -i 's/ \* 16/ * 1/' two.cu
check two.cu --baseline two.json
expect_code 0
expect_in stderr 'a finding of the baseline is no more'

# A comment that ignores what is fine fails, also behind a bound; where data decide, it stays a note.
cat >stale.cu <<'CU'
__global__ void stale(float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  a[i] = 1; // warplens: ignore uncoalesced-store: was strided once
  a[i * 2] = 1; // warplens: ignore bank-conflict: another rule
  a[(i * i) % n] = 1; // warplens: ignore bank-conflict: not known
}
CU
check --fail-on never stale.cu
expect_code 1
expect_in stdout "^stale\.cu:4:.*error: there is no 'uncoalesced-store' to ignore"
expect_in stdout "^stale\.cu:5:.*error: there is no 'bank-conflict' to ignore"
expect_in stdout "^stale\.cu:6:.*note: nothing was decided at the line"
expect_in stdout '^what is not decided passes: --set NAME=VALUE may decide it'

# A limit fails where a warp is known to break it, at the user's own lines; what the data decide is told.
cat >guarded.cu <<'CU'
__global__ void guarded(float4* p, const int* id, float* q, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i].x = 1;
  if (i < n) atomicAdd(&q[id[i]], 1.f);
}
CU
check guarded.cu --fail-on 'sectors-per-request>8' --findings out.json
expect_code 1
expect_json out.json '[f["line"] for f in r["findings"] if f["fails"]]' '[3]'
expect_in stderr "'sectors-per-request>8' is not decided for 1 line, as at guarded.cu:4: 1 to 32 sectors per request"
check guarded.cu --fail-on 'sectors>0' --sarif out.sarif
expect_json out.sarif '{x["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for x in r["runs"][0]["results"]}' "{'guarded.cu'}"
check app.cu --fail-on 'excess>20%'
expect_code 2
expect_in stderr "'excess>20%' is about a whole run"
echo 'fail-on = "eror"' >.warplens.toml
check app.cu
expect_code 2
expect_in stderr "\\.warplens\\.toml:1:11: error: 'eror' is no severity"
# How the project compiles, and what its launches are.
mkdir -p include
echo '#define STRIDE 8' >include/stride.h
cat >configured.cu <<'CU'
#include "stride.h"
__global__ void k(const float* a, float* b, int pitch) {
  b[threadIdx.y * pitch + threadIdx.x] = a[(threadIdx.y * blockDim.x + threadIdx.x) * STRIDE];
}
int main() { k<<<1, dim3(32, 2)>>>(nullptr, nullptr, 32); }
CU
printf 'compiler = "clang"\ncompile-options = "-Iinclude"\nblock = [32, 2]\n[set]\npitch = 1024\nabsent = 1\n' >.warplens.toml
run "$warplens" check --fail-on never --verdicts verdicts.json configured.cu
expect_code 0
expect_not_in stderr 'no kernel has'
expect_json verdicts.json '[(a["blocks"], a["verdict"], a["conditions"]) for a in r["accesses"]]' \
  "[('blocks of 32x2 threads', 'uncoalesced', []), ('blocks of 32x2 threads', 'coalesced', [])]"
run "$warplens" check --fail-on never --block 64 --set pitch=4 --set other=1 --verdicts verdicts.json configured.cu
expect_in stderr "no kernel has a parameter 'other'"
expect_json verdicts.json '[a["blocks"] for a in r["accesses"]]' "['blocks of 64 threads', 'blocks of 64 threads']"
run "$warplens" run --report report.txt configured.cu
expect_not_in stderr 'stride.h'
mkdir below # paths of options are from the file, as others in it
cp configured.cu below/
cd below
run "$warplens" check --fail-on never configured.cu
expect_code 0
cd ..
sed -i 's/"-Iinclude"/"-Iinclude '"'"'"/' .warplens.toml
run "$warplens" check configured.cu
expect_code 2
expect_in stderr '\.warplens\.toml:2:19: error:'
rm .warplens.toml
# Files with their options in a build; one that the build does not compile has none.
mkdir -p build
cat >build/compile_commands.json <<JSON
[{"directory": "$PWD", "file": "configured.cu", "command": "clang++ -x cuda -Iinclude -c configured.cu"}]
JSON
run "$warplens" check -p build --compiler clang --fail-on never configured.cu
expect_code 0
expect_in stdout '^configured\.cu:3:'
expect_not_in stdout 'app\.cu'
run "$warplens" check --compile-commands build/compile_commands.json --compiler clang --fail-on never app.cu configured.cu
expect_code 0
expect_in stderr "the build has no command for 'app.cu'"
run "$warplens" check -p include configured.cu
expect_code 2
expect_in stderr "'include/compile_commands.json' does not exist"

# Programs without line information, with mistakes, with launches that fail.
cat >bad.cu <<'CU'
__global__ void beyond(int* p) { p[threadIdx.x + (1 << 28)] = 1; }
int main() {
  int* p;
  cudaMalloc(&p, 128);
  beyond<<<1, 32>>>(p);
  cudaDeviceSynchronize();
}
CU
gate --fail-on error --findings out.json --sarif out.sarif bad.cu
expect_code 1
follows "$sarif_part" out.sarif
expect_json out.json 'sorted({f["rule"] for f in r["findings"]})' "['program-mistake', 'uncounted-launch']"

run "$warplens" rules
expect_code 0
expect_in stdout '^bank-conflict +warning +Lanes want different words'
"$warplens" rules --json >rules.json
expect_json rules.json '[x["id"] for x in r["rules"] if "## `%s`\n\n*%s*: " % (x["id"], x["severity"]) not in open("'"$source_dir"'/docs/look-up/rules.md").read()]' '[]'
run "$warplens" rules bank-conflicts
expect_code 2
expect_in stderr "did you mean 'bank-conflict'"
run "$warplens" rules bank-conflict
expect_in stdout 'Pad the'

# What could not be judged: no form looks clean, no baseline is written, and what could be is told.
echo 'int main( {' >broken.cu
cp "$source_dir/tests/scripts/programs/findings.cu" app.cu
echo kept >known.json
check --sarif out.sarif --findings out.json --markdown out.md --github --verdicts verdicts.json --html out.html --write-baseline known.json broken.cu
expect_code 2
follows "$sarif_part" out.sarif
follows "$findings_schema" out.json
follows "$source_dir/docs/schema/verdicts-1.schema.json" verdicts.json
[ "$(cat known.json)" = kept ] || fail "a baseline of what could not be judged was written"
expect_in stderr "^warplens: the file was not judged: broken.cu$"
expect_in stderr "^warplens: the baseline 'known.json' is not written"
expect_json out.sarif '[(i["executionSuccessful"], [(n["level"], n["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]) for n in i["toolExecutionNotifications"]]) for i in r["runs"][0]["invocations"]]' "[(False, [('error', 'broken.cu')])]"
expect_json out.json 'r["complete"], [g["file"] for g in r["not_judged"]]' "(False, ['broken.cu'])"
expect_json verdicts.json 'r["complete"], [g["file"] for g in r["not_judged"]]' "(False, ['broken.cu'])"
expect_in out.md '^### WarpLens: not complete, the file was not judged$'
expect_in out.md '^\| broken\.cu \| clang .* could not compile .*error: '
expect_in out.html 'could not compile'
expect_in stdout '^::error file=broken\.cu,title=not judged::'
for other in missing.cu missing_folder missing.json /bin/true; do
  check --sarif out.sarif --markdown out.md --write-baseline known.json "$other" app.cu
  expect_code 2
  expect_json out.sarif 'r["runs"][0]["invocations"][0]["executionSuccessful"], len(r["runs"][0]["results"]) > 0' '(False, True)'
  expect_in out.md '^### WarpLens: not complete, 1 of 2 files was not judged$'
  expect_in out.md '^\| app\.cu:16 \| warning \| bank-conflict'
  [ "$(cat known.json)" = kept ] || fail "a baseline without $other was written"
done
check --baseline out.json broken.cu app.cu
expect_code 2
check --findings out.json broken.cu app.cu
check --baseline out.json app.cu
expect_code 2
expect_in stderr "'out.json' lacks findings"

# So it is for a run that ended early: what it would have launched then is not known.
cat >ends.cu <<'CU'
#include <csignal>
#include <cstdlib>
__global__ void far(const float* a, float* o) { o[threadIdx.x] = a[threadIdx.x * 32]; }
int main(int, char** words) {
  if (!words[1]) return 0;
  float* a;
  cudaMalloc(&a, 1 << 16);
  far<<<1, 32>>>(a, a);
  cudaDeviceSynchronize();
  if (words[1][0] == 'k') raise(SIGKILL);
  return atoi(words[1]);
}
CU
early() { # exit code, arguments
  expected=$1
  shift
  gate --fail-on warning --rule uncoalesced-load=note --sarif out.sarif --findings out.json --markdown out.md --json run.json --write-baseline known.json ends.cu "$@"
  expect_code "$expected"
  follows "$sarif_part" out.sarif
  follows "$findings_schema" out.json
  expect_json out.sarif 'r["runs"][0]["invocations"][0]["executionSuccessful"]' False
  expect_json out.json 'r["complete"]' False
  expect_in out.md '^### WarpLens: not complete'
  [ "$(cat known.json)" = kept ] || fail "a baseline of a run that ended early was written"
}
early 137 killed
early 7 7
early 2 # no launch: nothing was held to the gates
expect_in stderr "the baseline 'known.json' is not written"
run "$warplens" report run.json --fail-on warning
expect_code 2
run "$warplens" report run.json --fail-on never
expect_code 0
gate --fail-on warning --rule uncoalesced-load=note --sarif out.sarif --write-baseline known.json ends.cu 0
expect_code 0
expect_json out.sarif 'r["runs"][0]["invocations"]' "[{'executionSuccessful': True}]"
expect_in known.json '"kind": "warplens-baseline"'

# A finding is known when its line was edited, and no other is with it.
cat >edited.cu <<'CU'
__global__ void column(const float* a, float* o, int n) {
  int i = threadIdx.x;
  o[i] = 2.f * a[i * n];
}
CU
check --write-baseline known.json edited.cu
sed -i 's/2\.f/3.f/; 1i // above' edited.cu
check --baseline known.json edited.cu
expect_code 0
expect_not_in stderr 'no more'
sed -i 's/^}/  o[i + 32] = a[7 * i];\n}/' edited.cu
check --baseline known.json --findings out.json edited.cu
expect_code 1
expect_json out.json 'sorted((f["line"], f["baseline"]) for f in r["findings"] if f["rule"] == "uncoalesced-load")' "[(4, 'unchanged'), (5, 'new')]"
: >empty.json
check --baseline empty.json edited.cu
expect_code 2
expect_in stderr "the baseline 'empty.json' is empty"

# A line like that of a file that was not judged is no known one.
sed 's/column/other/' edited.cu >other.cu
check --fail-on never --write-baseline known.json edited.cu
check --baseline known.json other.cu
expect_code 1
mv edited.cu renamed.cu
check --baseline known.json renamed.cu
expect_code 0
rm -f edited.cu renamed.cu other.cu

# All that was given is left out: that is no clean result.
mkdir -p left_out
cp app.cu left_out
printf '[paths]\nexclude = ["left_out"]\n' >.warplens.toml
check left_out
expect_code 2
expect_in stderr 'leaves out every file'
rm -r .warplens.toml left_out

# The hook for pre-commit and the action for GitHub run what they say.
export PATH="$(dirname "$warplens"):$PATH"
cp "$source_dir/tests/scripts/programs/findings.cu" app.cu
hook_of() { sed -n "/^- id: $1\$/,/^- /s/^  entry: //p" "$source_dir/.pre-commit-hooks.yaml"; }
run sh -c "$(hook_of warplens-check) --compiler clang --block 32,32 app.cu"
expect_code 1
expect_in stdout '^app\.cu:16:.*\[bank-conflict\]'
hook=$(hook_of warplens-run)
run sh -c "$hook --compiler clang app.cu"
expect_code 1
expect_in stderr '^app\.cu:16:.*\[bank-conflict\]'
run sh -c "$hook --compiler clang --rule bank-conflict=note --rule uncoalesced-load=note app.cu"
expect_code 0
python3 - "$source_dir/action.yml" >action.sh <<'PY'
import sys, textwrap
text = open(sys.argv[1]).read()
print(textwrap.dedent(text[text.rindex("run: |\n") + len("run: |\n"):]))
PY
WARPLENS_COMMAND=run WARPLENS_PROGRAM='app.cu 1' WARPLENS_OPTIONS="--compiler clang --fail-on 'sectors-per-request > 8'" WARPLENS_SARIF=action.sarif \
  GITHUB_STEP_SUMMARY=summary.md GITHUB_OUTPUT=outputs run bash -eo pipefail action.sh
expect_code 0
expect_in outputs '^complete=true$'
follows "$sarif_part" action.sarif
expect_in summary.md '^### WarpLens: 1 finding'
expect_in stderr '^::warning file=app\.cu,line=16,'
mkdir -p checked/more checked/.hidden checked/left_out
cp app.cu checked/more
echo broken | tee checked/.hidden/app.cu >checked/left_out/app.cu
printf '[paths]\nexclude = ["checked/left_out"]\n' >.warplens.toml
WARPLENS_COMMAND=check WARPLENS_PROGRAM=checked WARPLENS_OPTIONS="--compiler clang --fail-on warning" WARPLENS_SARIF=checked.sarif \
  GITHUB_STEP_SUMMARY=checked.md GITHUB_OUTPUT=checked.outputs run bash -eo pipefail action.sh
expect_code 1
expect_in checked.outputs '^complete=true$'
follows "$sarif_part" checked.sarif
expect_in stdout '^::warning file=checked/more/app\.cu,line=16,'
expect_not_in stderr 'left_out|hidden'
for program in broken.cu missing.cu '--no-such-option'; do # what is uploaded must close no alert
  echo '"executionSuccessful": true' >broken.sarif # of an earlier step
  WARPLENS_COMMAND=check WARPLENS_PROGRAM="$program" WARPLENS_OPTIONS="--compiler clang" WARPLENS_SARIF=broken.sarif \
    GITHUB_STEP_SUMMARY=broken.md GITHUB_OUTPUT=broken.outputs run bash -eo pipefail action.sh
  expect_code 2
  expect_in broken.outputs '^complete=false$'
  expect_not_in broken.outputs '^complete=true$'
done

# A baseline of several files misses nothing where only some of them are judged, as by a hook.
cp app.cu other.cu
run "$warplens" check --compiler clang --fail-on never --write-baseline several.json app.cu checked other.cu
run "$warplens" check --compiler clang --baseline several.json app.cu
expect_code 0
expect_not_in stderr 'no more'
echo '__global__ void none() {}' >other.cu
run "$warplens" check --compiler clang --baseline several.json app.cu other.cu
expect_in stderr 'of the baseline (is|are) no more'
rm .warplens.toml
