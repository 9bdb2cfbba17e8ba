#!/bin/sh
# Fuzzes every target of tests/fuzz with clang-19's libFuzzer, AddressSanitizer and UBSan (preset asan): MINUTES of processor
# time each (default 30), so that a busy machine does not count for less, one after the other, or only the TARGETs named. Inputs
# that are worth keeping gather in build/fuzzing/corpus, so that a later run goes on from there. A finding ends its target; its
# input lies in build/fuzzing/findings, and the exit code is 1. Each target leaves a line in build/fuzzing/figures: when, on which
# commit, the processor time it had, inputs, edges covered by the inputs it began with and at the end, inputs kept.
#   scripts/fuzz.sh [MINUTES|SECONDSs [TARGET…]]
set -eu
cd "$(dirname "$0")/.."
time=${1:-30}
[ $# -eq 0 ] || shift
case $time in *s) seconds=${time%s} unit=1 ;; *) seconds=$time unit=60 ;; esac
case $seconds in '' | *[!0-9]*) echo "usage: scripts/fuzz.sh [MINUTES|SECONDSs [TARGET…]]" >&2; exit 2 ;; esac
seconds=$((seconds * unit))
export WARPLENS_MORE_PACKAGES=scripts/fuzz-packages.txt
. scripts/prepare.sh
build=build/asan preset=asan work=build/fuzzing
prepare
cmake --build "$build" -j "$(jobs)" --target fuzz || die "the build failed"

# The seeds are those of the tests: tests/fuzz/CMakeLists.txt says which folders a target takes.
seeds_of() { sed -n "s/^  fuzz_test($1 [0-9]* \(.*\))/\1/p" tests/fuzz/CMakeLists.txt; }
[ $# -gt 0 ] || set -- $(sed -n 's/^  fuzz_test(\([a-z_]*\) [0-9].*/\1/p' tests/fuzz/CMakeLists.txt)

# What libFuzzer says of the edges at its first input and at its last, and how many inputs it tried.
figures_of() {
  first=$(sed -n 's/.*INITED cov: \([0-9]*\).*/\1/p' "$work/$1.log" | head -1)
  last=$(sed -n 's/.* cov: \([0-9]*\).*/\1/p' "$work/$1.log" | tail -1)
  inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/$1.log")
  printf '%s %s %s: %s s, %s inputs, %s edges at first, %s at the end, %s inputs kept%s\n' "$(date -u +%Y-%m-%dT%H:%MZ)" \
    "$(git rev-parse --short HEAD 2>/dev/null)" "$1" "$2" "$inputs" "$first" "$last" "$(ls "$work/corpus/$1" | wc -l)" "$3"
}

# Asks a fuzzer to end when it has used its processor time, and says how many seconds it had. libFuzzer itself can only watch the
# clock; at SIGUSR1 it prints its figures and ends with 0. The state and the times (in ticks) of a process are fields 3, 14 and 15
# of its line in /proc; its name, field 2, is "fuzz", without blanks. One that ended by itself is a zombie until it is waited for.
end_when_used() {
  ticks=$(getconf CLK_TCK) used=0
  while now=$(awk '$3 != "Z" {print $14 + $15}' "/proc/$1/stat" 2>/dev/null) && [ -n "$now" ]; do
    used=$now
    [ "$used" -lt $((seconds * ticks)) ] || { kill -USR1 "$1" 2>/dev/null; break; }
    sleep 1
  done
  echo $((used / ticks))
}

mkdir -p "$work/findings"
failed=
for target in "$@"; do
  [ -n "$(seeds_of "$target")" ] || die "there is no target $target"
  mkdir -p "$work/corpus/$target"
  folders=
  for folder in $(seeds_of "$target"); do folders="$folders tests/fuzz/$folder"; done
  say "Fuzzing $target for $seconds seconds"
  # shellcheck disable=SC2086
  WARPLENS_FUZZ_TARGET=$target "$build/fuzz" -timeout=60 -rss_limit_mb=4096 \
    -max_len=65536 -print_final_stats=1 -artifact_prefix="$work/findings/$target-" "$work/corpus/$target" $folders \
    >"$work/$target.log" 2>&1 &
  fuzzer=$!
  had=$(end_when_used $fuzzer)
  wait $fuzzer && found= || { failed="$failed $target"; found=", a finding"; }
  grep '^SUMMARY' "$work/$target.log" || true
  figures_of "$target" "$had" "$found" | tee -a "$work/figures"
done
[ -z "$failed" ] || die "findings in:$failed" "the inputs are in $work/findings, the logs in $work/TARGET.log"
