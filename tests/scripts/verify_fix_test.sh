# run --verify-fix sees a difference wherever a program leaves its result, and refuses where it leaves none. Files that the
# program writes are afterwards as after one ordinary run.
. "$(dirname "$0")/common.sh"
export WARPLENS_CACHE_DIR="$scratch/cache"
cp "$source_dir/tests/scripts/programs/results.cu" .
cp results.cu before.cu
mkdir here
verify() { # PLACES OTHER [OPTIONS]
  places=$1 other=$2
  shift 2
  (cd here && run "$warplens" run --compiler clang --no-config --report ../report.txt --verify-fix "$@" ../results.cu \
    "$places" "$other" && echo "$code" >../code && mv stdout stderr ..)
  code=$(cat code)
}
unchanged() { cmp -s results.cu before.cu || fail "a fix was written ($places, $other)"; }

files='write mapped stream append rename child folder'
verify "$files managed freed pinned registered stderr" none
expect_code 0
expect_in stderr 'the program prints the same \(0 lines\) and ends with 0'
expect_in stderr 'what it prints on standard error is the same \(1 line\)'
expect_in stderr 'what it leaves in managed or pinned memory is the same to the bit \([0-9]+ states\)'
expect_in stderr "the files that it writes are the same: '.*', '.*', '.*' and 4 more"
expect_in stderr 'wavefronts .* -> '
unchanged
# Each run found what the ordinary one left, and that is what is there now.
[ "$(cd here && echo * */*)" = 'append.txt child.txt folder mapped.bin rename.txt stream.txt write.bin folder/result.txt' ] ||
  fail "$(ls -R here)"
[ "$(wc -l <here/append.txt)" = 1 ] || fail "more than one run appended: $(cat here/append.txt)"

# The second run is told what the first was: without --keep-going the program would end with 3.
verify 'stderr fault' none --keep-going --check sync --code ptx -j 2 --launch-skip 0
expect_in stderr 'prints the same \(0 lines\) and ends with 0'
unchanged

differs() { # PLACE, WHAT IS SAID [OPTIONS]
  place=$1 said=$2
  shift 2
  verify "$place" "$place" --fix "$@"
  expect_code 1
  expect_in stderr "the fixes do not hold: $said, in both of two runs each"
  unchanged
}
for file in write.bin mapped.bin stream.txt append.txt rename.txt child.txt; do
  differs "${file%.*}" "the file '.*/here/$file' has another content"
done
[ "$(wc -l <here/append.txt)" = 2 ] || fail "two ordinary runs append two lines: $(cat here/append.txt)"
differs folder "the file '.*/here/folder/result.txt' has another content"
differs stderr "line 1 of what the program prints on standard error is '1.0+' instead of '0.0+'"
for memory in managed freed pinned registered; do
  differs $memory 'state 1 of [0-9]+ of managed or pinned memory, of 4096 bytes, has another content'
done
differs variable 'state [12] of [0-9]+ of managed or pinned memory, of 4096 bytes, has another content' \
  --compile-options -DWITH_VARIABLE

# Nothing that could have shown a difference: what is removed at once, what is another in each run, and nothing at all.
for place in nothing removed random; do
  verify $place $place --fix
  expect_code 1
  expect_in stderr 'the fixes are not verified: there is nothing to compare'
  expect_in stderr 'help: let it print its results'
  unchanged
done

# A file that the program replaces is again what it was: its content, mode and time.
printf 'old\n' >here/rename.txt
chmod 640 here/rename.txt
touch -d 2001-02-03 here/rename.txt
cat >replaces.sh <<'SH'
printf 'new\n' >aside.txt && mv aside.txt rename.txt && rm -f append.txt && mkdir -p made
SH
mkdir -p trial/before
: >trial/files
(cd here && WARPLENS_TRIAL="$scratch/trial" LD_PRELOAD="$(dirname "$warplens")/lib/libwarplens-changed-files.so" sh ../replaces.sh)
[ "$(tr '\0' '\n' <trial/files | cut -c1 | tr -d '\n')" = nffn ] || fail "kept: $(tr '\0' '\n' <trial/files)"
kept=trial/before/$(tr '\0' '\n' <trial/files | sed -n 's|^f\([0-9a-f]*\) .*/rename.txt$|\1|p')
[ "$(cat "$kept") $(stat -c '%a %Y' "$kept")" = "old 640 $(date -d 2001-02-03 +%s)" ] || fail "$(stat "$kept")"
