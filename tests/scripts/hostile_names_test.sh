# No command prints a name in a way that a terminal or GitHub would obey it: names of files, kernels, arrays and options that
# hold line ends, "::error::", controls of terminals and of the writing direction. hostile_names.py makes and finds them.
. "$(dirname "$0")/common.sh"
names="$source_dir/tests/scripts/hostile_names.py"
name=$(python3 "$names" name)
harmless() { # COMMAND…
  code=0
  timeout 120 "$@" >stdout 2>stderr </dev/null || code=$?
  expect_no_crash
  python3 "$names" harmless stdout stderr || fail "of: $*"
}

# Names that do not exist, in every place where a command takes one.
for command in run check report import compare diff replay record explain rules man completion lsp gpus doctor \
  'report --json' 'report --config' 'report --baseline' 'run --kernel' 'run --report' 'run --compile-options' 'check --set' \
  'check --sm' 'check --block' 'explain --case' 'explain --pool'; do
  harmless "$warplens" $command "$name"
done
harmless "$warplens" "$name"
harmless "$warplens" "--$name"
harmless "$warplens" report "--$name" x
for file in "$name.cu" "$name.ptx" "$name.json" "$name.jsonl" "$name.ncu-rep" "$name.fatbin"; do
  for command in run check report import compare diff replay; do harmless "$warplens" $command "$file" "$file"; done
done

# Files of that name, with such text in them.
printf '.version 7.0\n.target sm_90\n.address_size 64\n.entry k() {\n::error::x::\n}\n' >"$name.ptx"
harmless "$warplens" check "$name.ptx"
expect_in stderr '^    \\x3a:error::x'
harmless "$warplens" run "$name.ptx"
printf '{"id":"\\n::error::b\\u202e","space":"global","op":"load","bytes":4,"mask":"0x1","addresses":[3%s]}\n' \
  ',null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null' >"$name.jsonl"
harmless "$warplens" replay "$name.jsonl"
cp "$source_dir/tests/scripts/programs/scale.cu" "$name.cu"
harmless "$warplens" check --compiler clang "$name.cu"
harmless "$warplens" check --compiler clang --fix-dry-run .
harmless "$warplens" run --compiler clang "$name.cu" word

# A saved report whose names are all of that kind.
run "$warplens" run --compiler clang --json good.json "$source_dir/tests/scripts/programs/advice_units.cu"
expect_code 0
python3 "$names" spoil good.json "$name.json"
cp "$name.json" bad.json
for how in '' --details --annotate --lines --warnings '--group-by line' '--group-by kernel' '--group-by file' \
  '--group-by array' '--markdown -' '--report x.txt'; do
  harmless "$warplens" report --no-config $how "$name.json"
  expect_code 0
done
python3 "$names" harmless x.txt
for sides in 'bad.json good.json' 'good.json bad.json' 'bad.json bad.json'; do
  harmless "$warplens" diff $sides
  harmless "$warplens" diff --markdown - $sides
  harmless "$warplens" diff --fail-on worse-line $sides
  harmless "$warplens" compare $sides
done
run "$warplens" report --no-config --github --warnings bad.json
cp stdout github.out
python3 "$names" harmless github.out || fail "an annotation holds another"
grep -q '^::' github.out || fail "there is no annotation"
