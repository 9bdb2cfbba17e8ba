# What one run keeps for the next: the second run of a .cu file compiles nothing and says the same; --no-cache, an edited
# header, damage and a folder that cannot be used are all just a compilation; runs at the same time do not disturb each
# other.
. "$(dirname "$0")/common.sh"

cp "$source_dir/tests/scripts/programs/scale.cu" scale.cu
echo '#define UNUSED 1' >header.h
sed -i '1i #include "header.h"' scale.cu
# A file that changes while the compiler runs is not kept: wait until the clock that stamps files is past it.
settle() { until touch now && [ -n "$(find now -newer "$1")" ]; do sleep 0.01; done; }
settle header.h
settle scale.cu
compile() { run "$warplens" run --compiler clang "$@" scale.cu word; }
kept() { find "$WARPLENS_CACHE_DIR" -name 'program-*' -printf '%i\n' 2>/dev/null | sort; }
same_as_first() {
  expect_code 0
  cmp -s stdout first.stdout || fail "$1: another output"
  cmp -s stderr first.stderr || fail "$1: another report"
}

compile --no-cache
expect_code 0
cp stdout first.stdout && cp stderr first.stderr
[ ! -e "$WARPLENS_CACHE_DIR" ] || fail "--no-cache left something"

compile
same_as_first "a cold cache"
first=$(kept)
[ -n "$first" ] || fail "nothing was kept"
find "$WARPLENS_CACHE_DIR" -type f -exec touch -d 2001-01-01 {} +
compile
same_as_first "a warm cache"
[ "$(kept)" = "$first" ] || fail "the second run compiled"
[ -z "$(find "$WARPLENS_CACHE_DIR" -name 'program-*' ! -newermt 2020-01-01)" ] || fail "the second run did not look"

compile --no-cache
same_as_first "--no-cache beside a warm cache"
[ "$(kept)" = "$first" ] || fail "--no-cache wrote"

echo '#define UNUSED 2' >header.h
settle header.h
compile
same_as_first "an edited header"
[ "$(kept | wc -l)" = 2 ] || fail "an edited header was not compiled"
echo '#error stop here' >header.h
compile
expect_code 2
expect_in stderr 'stop here'
echo '#define UNUSED 1' >header.h
compile
same_as_first "the header as it was"
[ "$(kept | wc -l)" = 2 ] || fail "the header as it was had to be compiled"

for damage in 'truncate -s 100' 'truncate -s 0' 'cp /bin/sh'; do
  find "$WARPLENS_CACHE_DIR" -type f -exec $damage {} \;
  compile
  same_as_first "damage by $damage"
done

# A limit of 0 is no cache; so is a folder that cannot be.
rm -rf "$WARPLENS_CACHE_DIR"
WARPLENS_CACHE_SIZE=0 compile
same_as_first "a limit of 0"
[ ! -e "$WARPLENS_CACHE_DIR" ] || fail "a limit of 0 left something"
WARPLENS_CACHE_DIR=/proc/no compile
same_as_first "a folder that cannot be made"
run env -u HOME -u XDG_CACHE_HOME -u WARPLENS_CACHE_DIR "$warplens" run --compiler clang scale.cu word
same_as_first "no home"

# Six at once on a cold cache.
for i in 1 2 3 4 5 6; do
  { "$warplens" run --compiler clang scale.cu word >"$i.stdout" 2>"$i.stderr" </dev/null || echo $? >"$i.code"; } &
done
wait
for i in 1 2 3 4 5 6; do
  [ ! -e "$i.code" ] || fail "run $i of six ended with $(cat "$i.code")"
  diff first.stdout "$i.stdout" && diff first.stderr "$i.stderr" || fail "run $i of six differs"
done
[ "$(kept | wc -l)" = 1 ] || fail "six runs of one program left $(kept | wc -l)"
[ -z "$(find "$WARPLENS_CACHE_DIR" -name 'new-*')" ] || fail "an unfinished file was left"
