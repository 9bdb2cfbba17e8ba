#!/bin/sh
# What takes too long for every change, or needs the network or a real clock: the tests that ./test leaves out, the packages in bare
# Debians, the unit tests under AddressSanitizer with UBSan and under ThreadSanitizer, and the fuzz targets. Each step runs whatever the
# ones before it found; the last lines say which failed. STEPs: slow, packages, asan, tsan, fuzz; all without.
#   scripts/nightly.sh [MINUTES_PER_FUZZ_TARGET|SECONDSs [STEP…]]
set -u
cd "$(dirname "$0")/.."
time=${1:-30}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- slow packages asan tsan fuzz
for step in "$@"; do
  case $step in slow | packages | asan | tsan | fuzz) ;; *) echo "there is no step '$step'" >&2; exit 2 ;; esac
done
export WARPLENS_MORE_PACKAGES=scripts/fuzz-packages.txt
. scripts/prepare.sh
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export TSAN_OPTIONS="suppressions=$PWD/tests/tsan.supp history_size=4 die_after_fork=0"

failed=
case " $* " in *' slow '*) ./test -L nightly || failed="$failed slow" ;; esac
case " $* " in *' packages '*) scripts/test_package.sh || [ $? = 77 ] || failed="$failed packages" ;; esac
for preset in "$@"; do
  case $preset in fuzz | slow | packages) continue ;; esac
  build=build/$preset
  say "Unit tests, $preset"
  if prepare && cmake --build "$build" -j "$(jobs)"; then
    # Whole programs and house checks are about what users see, and some tests about what the runtime library needs to be linked and
    # loaded, and what the linker says, which a sanitizer changes; the release build has them.
    ctest --test-dir "$build" --output-on-failure -j "$(jobs)" \
      -E '^(program|house|bench|fuzz)[.]|ClangWithoutToolkit|ManagedVariablesNeedNoNvcc|FilesOfRelocatableCode|RuntimeLibrary|CompileCache' || failed="$failed $preset"
  else
    failed="$failed $preset(build)"
  fi
done
case " $* " in *' fuzz '*) scripts/fuzz.sh "$time" || failed="$failed fuzz" ;; esac
[ -z "$failed" ] || die "failed:$failed"
say "Nothing found"
