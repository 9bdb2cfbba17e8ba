# Ctrl-C during a kernel that never ends: the report so far is written and the exit code says SIGINT.
. "$(dirname "$0")/common.sh"
program="$source_dir/tests/scripts/programs/faults.cu"

# A new session makes a process group of its own, so that the signal goes to warplens and the program, as a terminal's does.
setsid "$warplens" run --compiler clang --json report.json "$program" endless >stdout 2>stderr </dev/null &
leader=$!
for _ in $(seq 100); do
  pgrep -g "$leader" -f 'faults' >/dev/null 2>&1 && [ "$(pgrep -g "$leader" | wc -l)" -ge 2 ] && break
  sleep 0.2
done
sleep 3
kill -INT -- "-$leader"
code=0
wait "$leader" || code=$?
expect_code 130
expect_json report.json 'r["launches"][0]["status"]' exact
expect_in stderr 'fine'
