# Ctrl-C: during a kernel that never ends the report so far is written and the exit code says SIGINT; a host program
# that ignores it is killed by the second; a compilation leaves nothing behind. What is sent to warplens alone ends the
# compiler and all that it started.
. "$(dirname "$0")/common.sh"
program="$source_dir/tests/scripts/programs/faults.cu"
mkdir temporary
export TMPDIR="$scratch/temporary"

# A process group of its own, so that the signal goes to warplens and the program, as a terminal's does. A shell's
# background job would ignore SIGINT.
cat >start.py <<'PY'
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.setsid()
os.execv(sys.argv[1], sys.argv[1:])
PY
start() {
  rm -f report.json
  python3 start.py "$warplens" run --json report.json "$@" >stdout 2>stderr </dev/null &
  leader=$!
}
interrupt() { env kill -s INT -- "-$leader"; }
wait_until() { # COMMAND…
  for _ in $(seq 300); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.1
  done
  fail "waited 30 seconds for: $*"
}
finish() { # EXIT CODE
  code=0
  wait "$leader" || code=$?
  expect_code "$1"
  [ -z "$(ls temporary)" ] || fail "left behind: $(ls temporary)"
  [ ! -e report.json ] || follows_schema report.json
}
started() { grep -q "$1" temporary/warplens-tmp-*/events; }

start --compiler clang "$program" endless
wait_until started '"endless'
interrupt
finish 130
expect_json report.json 'r["launches"][0]["status"]' exact
expect_in stderr 'fine'
expect_in stderr 'endless'

start --compiler clang "$program" stubborn
wait_until grep -q waiting stdout
interrupt
sleep 0.5
kill -0 "$leader" || fail "the first interrupt ended the program"
interrupt
finish 137
expect_json report.json 'r["launches"][0]["status"]' exact

cat >compiler <<'SH'
#!/bin/sh
[ "$1" != --version ] || { echo 'clang version 19.1.7'; exit; }
touch compiling
exec sleep 60
SH
chmod +x compiler
WARPLENS_CLANG="$scratch/compiler" start --compiler clang "$program"
wait_until test -e compiling
interrupt
finish 130

cat >compiler <<'SH'
#!/bin/sh
[ "$1" != --version ] || { echo 'clang version 19.1.7'; exit; }
sh -c 'echo $$ >compiling; exec sleep 60'
exit 0
SH
runs() { [ -e "/proc/$1" ] && ! grep -q '^State:.Z' "/proc/$1/status"; }
for signal in INT TERM HUP; do
  rm -f compiling
  WARPLENS_CLANG="$scratch/compiler" start --compiler clang "$program"
  wait_until test -s compiling
  kill -s $signal "$leader"
  case $signal in INT) finish 130 ;; TERM) finish 143 ;; HUP) finish 129 ;; esac
  ! runs "$(cat compiling)" || fail "what the compiler started goes on after SIG$signal"
done

# One that ignores the signal is killed by the second.
sed -i "s/^sh -c/trap '' TERM; &/" compiler
rm -f compiling
WARPLENS_CLANG="$scratch/compiler" start --compiler clang "$program"
wait_until test -s compiling
kill -s TERM "$leader"
sleep 0.3
kill -0 "$leader" || fail "warplens did not wait for the compiler"
kill -s TERM "$leader"
finish 143
