# Memory that a program maps by itself: kernels and copies reach it at each address that it has, and are counted.
. "$(dirname "$0")/common.sh"
lib=${WARPLENS_BUILD_DIR:?}/lib
c++ -O1 -std=c++17 "$source_dir/tests/scripts/programs/mapping.cpp" -o mapping "$lib/libcuda.so.1" -pthread -Wl,-rpath-link,"$lib"
for options in '' --proofs=always '--check memory' '--memory=strict'; do
  # shellcheck disable=SC2086
  run "$warplens" run $options --json report.json ./mapping
  [ "$(cat stdout)" = "0 wrong" ] || fail "$options: $(cat stdout)"
  expect_code 0
  expect_json report.json '[sum(s["sectors"] for s in l["sites"]) for l in r["launches"]]' '[256, 32]'
  # It tries what must fail, which --check memory names.
  expect_json report.json '[m for m in r["messages"] if m["kind"] != "memory-failed-call"]' '[]'
done

# Nobody writes the word: the wait ends by itself, and says why.
WAIT_IN_VAIN=1 run "$warplens" run --json report.json ./mapping
[ "$(cat stdout)" = "0 wrong" ] || fail "$(cat stdout)"
expect_json report.json '[m["kind"] for m in r["messages"] if m["kind"] != "memory-failed-call"]' "['stream-waits-in-vain']"
