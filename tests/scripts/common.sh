# Sourced by every whole-program test. Gives: $warplens, $source_dir, a scratch folder (the current one, removed at the
# end), and expect_* helpers that say what was wanted and what came. A test ends at the first failure; exit code 77
# tells CTest that it was skipped, with the reason on its last line.
set -eu
warplens=${WARPLENS_BINARY:?set it to the warplens binary}
source_dir=${WARPLENS_SOURCE_DIR:?set it to the repository}
export LC_ALL=C TERM=dumb
unset NO_COLOR || true

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
# tests.cmake says whose compilations may be used: an entry is known by all that made it, this build of WarpLens included.
export WARPLENS_CACHE_DIR="${WARPLENS_TEST_CACHE:-$scratch/cache}"
unset WARPLENS_CACHE_SIZE || true
# PTX that has no machine code is counted as PTX, as on a machine without a toolkit. Tests of what ptxas makes unset it.
export WARPLENS_PTXAS=/none

fail() {
  printf 'FAILED: %s\n' "$*" >&2
  for name in stdout stderr; do
    [ ! -s "$name" ] || { printf -- '--- %s (first 40 lines)\n' "$name"; sed -n 1,40p "$name"; } >&2
  done
  exit 1
}
skip() {
  printf 'skipped: %s\n' "$*"
  exit 77
}

# Reports follow the published schema, whatever a test looks at in them: each that `warplens run --json FILE` wrote is
# checked.
schema="$source_dir/docs/schema/run-1.schema.json"
follows_schema() { python3 "$source_dir/tests/scripts/schema.py" "$schema" "$1" >&2 || fail "$1 does not follow $schema"; }
check_reports() {
  _command= _before=
  for _word in "$@"; do
    [ "$_word" != run ] || _command=run
    if [ "$_command $_before" = "run --json" ]; then
      if [ "$_word" = - ]; then [ ! -s stdout ] || follows_schema stdout; fi
      if [ -f "$_word" ]; then follows_schema "$_word"; fi
    fi
    _before=$_word
  done
}

# run COMMAND…: stdout, stderr and the exit code go to files and $code.
run() {
  code=0
  "$@" >stdout 2>stderr </dev/null || code=$?
  check_reports "$@"
}
expect_code() { [ "$code" = "$1" ] || fail "exit code $code, expected $1"; }
expect_in() { grep -qE -- "$2" "$1" || fail "no line of $1 matches: $2"; }
expect_not_in() { ! grep -qE -- "$2" "$1" || fail "a line of $1 matches: $2"; }
expect_empty() { [ ! -s "$1" ] || fail "$1 is not empty"; }
expect_no_crash() { [ "$code" -lt 128 ] || fail "ended by signal $((code - 128))"; }

# json FILE EXPRESSION: evaluates a Python expression over the parsed report `r`; indices(r): of all its launches.
json() {
  python3 -c 'import json,sys
def indices(r):
  return [o["first"] + o["step"] * i for l in r["launches"]
          for o in l.get("occurrences", [{"first": l["index"], "count": 1, "step": 1}]) for i in range(o["count"])]
r=json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"
}
expect_json() {
  got=$(json "$1" "$2") || fail "$1: cannot evaluate $2"
  [ "$got" = "$3" ] || fail "$1: $2 is $got, expected $3"
}
