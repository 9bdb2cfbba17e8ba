# kill -9 of warplens or of its program (or compiler) at random moments of a run. Argument: how often (10).
#
# Of the program: the report holds every launch that had ended, or says that some are missing. Of warplens: the program
# goes with it, and the next run removes what was left in the temporary folder and believes no entry of the cache that
# was half written.
. "$(dirname "$0")/common.sh"
times=${1:-10}
program="$source_dir/tests/scripts/programs/launches.cu"
mkdir temporary
export TMPDIR="$scratch/temporary"
launches=400

run "$warplens" run --compiler clang --strict "$program" told $launches # compiled once; takes as long as a run does
expect_code 0
random() { od -An -N2 -tu2 /dev/urandom | tr -d ' '; }
child_of() { cut -d" " -f1 "/proc/$1/task/$1/children" 2>/dev/null || true; }
wait_gone() { # SECONDS, PID
  for _ in $(seq $(($1 * 20))); do
    kill -0 "$2" 2>/dev/null || return 0
    sleep 0.05
  done
  fail "process $2 outlived warplens"
}

i=0
while [ $i -lt "$times" ]; do
  rm -f report.json
  # Every fourth run compiles and parses anew, so that compilers and writers of the cache are hit too.
  [ $((i % 4)) -lt 3 ] || rm -rf "$WARPLENS_CACHE_DIR"
  "$warplens" run --compiler clang --json report.json --strict "$program" told $launches >stdout 2>stderr </dev/null &
  leader=$!
  sleep "$(awk "BEGIN { print $(random) / 65536 * 0.8 }")"
  child=$(child_of $leader)
  if [ $((i % 2)) = 0 ]; then
    kill -9 $leader 2>/dev/null || true
    wait $leader 2>/dev/null || true
    [ -z "$child" ] || wait_gone 20 "$child" # compilers too
  else
    [ -z "$child" ] || kill -9 "$child" 2>/dev/null || true
    code=0
    wait $leader || code=$?
    if [ -e report.json ] && [ -s report.json ]; then
      counted=$(json report.json 'sum(l["count"] for l in r["launches"])')
      follows_schema report.json
      ended=$(tr -cd . <stdout | wc -c)
      expect_json report.json "$counted + r['missing']['launches'] >= $ended" True
      expect_json report.json "r['complete'] and $counted != $launches" False
      expect_json report.json "sorted(indices(r)) == list(range($counted))" True
    fi
  fi
  i=$((i + 1))
done

run "$warplens" run --compiler clang --json report.json --strict "$program" told $launches
expect_code 0
expect_json report.json 'r["complete"], sum(l["count"] for l in r["launches"])' "(True, $launches)"
[ -z "$(ls temporary)" ] || fail "left behind: $(ls temporary)"
echo "$times runs killed"
