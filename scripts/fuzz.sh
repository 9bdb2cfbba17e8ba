#!/bin/sh
# Fuzzes every target of tests/fuzz with clang-19's libFuzzer, AddressSanitizer and UBSan: MINUTES each (default 30), one after
# the other, or only the TARGETs named. Inputs that are worth keeping gather in build/fuzz/corpus, so that a later run goes on
# from there. A finding ends its target; its input lies in build/fuzz/findings, and the exit code is 1.
#   scripts/fuzz.sh [MINUTES [TARGET…]]
set -eu
cd "$(dirname "$0")/.."
minutes=${1:-30}
[ $# -eq 0 ] || shift
case $minutes in '' | *[!0-9]*) echo "usage: scripts/fuzz.sh [MINUTES [TARGET…]]" >&2; exit 2 ;; esac
export WARPLENS_MORE_PACKAGES=scripts/fuzz-packages.txt
. scripts/prepare.sh
build=build/fuzz preset=fuzz
prepare
cmake --build "$build" -j "$(jobs)" --target fuzz || die "the build failed"

# The seeds are those of the tests: tests/fuzz/CMakeLists.txt says which folders a target takes.
seeds_of() { sed -n "s/^  fuzz_test($1 [0-9]* \(.*\))/\1/p" tests/fuzz/CMakeLists.txt; }
[ $# -gt 0 ] || set -- $(sed -n 's/^  fuzz_test(\([a-z_]*\) [0-9].*/\1/p' tests/fuzz/CMakeLists.txt)

mkdir -p "$build/findings"
failed=
for target in "$@"; do
  [ -n "$(seeds_of "$target")" ] || die "there is no target $target"
  mkdir -p "$build/corpus/$target"
  folders=
  for folder in $(seeds_of "$target"); do folders="$folders tests/fuzz/$folder"; done
  say "Fuzzing $target for $minutes minutes"
  # shellcheck disable=SC2086
  WARPLENS_FUZZ_TARGET=$target "$build/fuzz" -max_total_time=$((minutes * 60)) -timeout=60 -rss_limit_mb=4096 \
    -max_len=65536 -print_final_stats=1 -artifact_prefix="$build/findings/$target-" "$build/corpus/$target" $folders \
    >"$build/$target.log" 2>&1 || failed="$failed $target"
  grep -E '^(stat::number_of_executed_units|SUMMARY)|cov: ' "$build/$target.log" | tail -4
done
[ -z "$failed" ] || die "findings in:$failed" "the inputs are in $build/findings, the logs in $build/TARGET.log"
