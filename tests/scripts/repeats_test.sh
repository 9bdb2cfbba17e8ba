# Launches that repeat others under --proofs=always: counts and results are those of a full run, whatever changes between the
# launches, and a launch that provably repeats one costs nothing. --launches and the like: what is not counted still runs.
. "$(dirname "$0")/common.sh"
program="$source_dir/tests/scripts/programs/repeats.cu"

by_index() { # what each launch counted
  json "$1" 'sorted((i, l["name"], l["grid"], l["warp_instructions"],
    [(s["id"], s["instructions"], s["sectors"], s["pattern"] and s["pattern"]["text"]) for s in l["sites"]])
    for l in r["launches"] for o in l.get("occurrences", [{"first": l["index"], "step": 1, "count": 1}])
    for i in range(o["first"], o["first"] + o["step"] * o["count"], o["step"]))'
}
run "$warplens" run --compiler clang --json full.json "$program"
expect_code 0
mv stdout full.out
run "$warplens" run --compiler clang --proofs=always --json folded.json "$program"
expect_code 0
diff full.out stdout || fail "the program printed something else"
by_index full.json >full
by_index folded.json >folded
diff full folded || fail "counts differ"
expect_json folded.json '[(l["count"], l["status"]) for l in r["launches"] if l["name"].startswith("scale")][0]' "(20, 'proved')"
expect_json folded.json 'sorted(l["count"] for l in r["launches"] if l["name"].startswith("constant_loop"))' '[2, 4]'

# Counting each of them takes minutes.
run timeout 100 "$warplens" run --compiler clang --proofs=always --strict --json r.json "$source_dir/bench/load/load.cu" benchmark 30000
expect_code 0
expect_json r.json '[l["count"] for l in r["launches"]]' '[5000, 5000, 5000, 5000, 5000, 5000]'

chosen() { # EXPECTED INDICES, OPTIONS…
  expected=$1
  shift
  run "$warplens" run --compiler clang --strict --json some.json "$@" "$program"
  expect_code 0
  diff full.out stdout || fail "the program printed something else"
  expect_json some.json 'sorted(indices(r))' "$expected"
  expect_json some.json 'r["left_out"] + len(indices(r)), r["complete"]' "($(json full.json 'len(indices(r))'), True)"
  expect_in stderr 'ran without being counted'
  expect_not_in stderr 'every warp'
}
chosen '[0, 1, 2]' --launches 3
chosen '[8, 9, 10]' --launches 3 --launch-skip 8
chosen '[0, 1, 12, 13, 25, 26, 31, 32]' --per-kernel 2
chosen '[0, 1, 12, 13, 25, 26, 31, 32]' --per-kernel 2 --proofs=always
# Beside --kernel, as ncu does: of the launches that it lets through.
of_kernel() { # EXPECTED INDICES, OPTIONS…
  expected=$1
  shift
  run "$warplens" run --compiler clang --json some.json "$@" "$program"
  expect_code 0
  diff full.out stdout || fail "the program printed something else"
  expect_json some.json 'sorted(indices(r)), {l["name"].split("(")[0] for l in r["launches"]}' "($expected, {'$kernel'})"
  expect_json some.json 'r["left_out"] + len(indices(r)), r["filtered_out"]' "$parts"
}
kernel=$(json full.json '[l["name"].split("(")[0] for l in r["launches"] if 12 in indices({"launches": [l]})][0]')
all=$(json full.json "sorted(i for l in r['launches'] if l['name'].startswith('$kernel(') for i in indices({'launches': [l]}))")
parts=$(json full.json "len($all), len(indices(r)) - len($all)")
nth() { python3 -c "print($all[$1])"; }
of_kernel "$(nth 2:3)" --kernel "^$kernel" --launch-skip 2 --launches 1
of_kernel "$(nth :2)" --kernel "regex:^$kernel" --launches 2 --proofs=always
of_kernel "$(nth 1:)" --kernel "^$kernel" --launch-skip 1
of_kernel "$(nth 1:3)" --kernel "^$kernel" --launch-skip 1 --per-kernel 2
run "$warplens" run --compiler clang --kernel "^$kernel" --launch-skip 1000 "$program"
tr -s '\n ' ' ' <stderr >words
expect_in words "the options leave out all [0-9]+ launches of the program"
run "$warplens" run --compiler clang --strict --json none.json --launch-skip 1000 "$program"
expect_code 1
tr -s '\n ' ' ' <stderr >words
expect_in words "the options leave out all [0-9]+ launches of the program"
expect_json none.json 'r["complete"], r["launches"]' '(False, [])'
run "$warplens" run --compiler clang --launches 1 "$source_dir/tests/scripts/programs/launches.cu" mixed
expect_in stderr 'refused'
run "$warplens" run --launches -1 "$program"
expect_code 2
