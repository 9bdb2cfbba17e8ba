#!/bin/sh
# The house checks must notice what they are for: each is run on a copy of the tree with one mistake in it.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
(cd "$root" && tar cf - CMakeLists.txt cuda scripts src docs tools tests/hardware/*.md tests/hardware/data/h200_launches*.json tests/fuzz/fuzzing.md bench/*.md) | tar xf - -C "$copy"

python3 "$copy/scripts/check_layers.py" >"$copy/log" || { cat "$copy/log"; exit 1; }
echo '#include "sim/sim.h"' >"$copy/src/foundation/base/upwards.h"
if python3 "$copy/scripts/check_layers.py" >"$copy/log"; then echo "an include against the layers went unnoticed"; exit 1; fi
grep -q "room 'base' may not include 'sim'" "$copy/log"
rm "$copy/src/foundation/base/upwards.h"
echo '#include "sim/exec/exec.h"' >"$copy/src/engine/fold/inwards.h"
if python3 "$copy/scripts/check_layers.py" >"$copy/log"; then echo "an include of another room's own header went unnoticed"; exit 1; fi
grep -q '"sim/exec/exec.h" is not for other rooms' "$copy/log"
rm "$copy/src/engine/fold/inwards.h"

echo '#include "sim/ops/access.h"' >"$copy/src/engine/sim/exec/upwards.h"
if python3 "$copy/scripts/check_layers.py" >"$copy/log"; then echo "folders that include each other went unnoticed"; exit 1; fi
grep -q 'sim/exec and sim/ops include each other' "$copy/log"
rm "$copy/src/engine/sim/exec/upwards.h"

mkdir "$copy/src/foundation/idle"
echo '// Includes nothing.' >"$copy/src/foundation/idle/idle.h"
echo 'warplens_room(foundation/idle base)' >>"$copy/CMakeLists.txt"
if python3 "$copy/scripts/check_layers.py" >"$copy/log"; then echo "an arrow that nobody uses went unnoticed"; exit 1; fi
grep -q "room 'idle' lists 'base', which none of its files includes" "$copy/log"

python3 "$copy/scripts/check_capabilities.py" >"$copy/log" || { cat "$copy/log"; exit 1; }
for comparison in 'row.sm >= 60' 'arch::major(row) == 9' '90 <= row->sm' 'sm(*row) < 20u'; do
  echo "bool young = $comparison;" >"$copy/src/engine/measure/young.h"
  if python3 "$copy/scripts/check_capabilities.py" >"$copy/log"; then echo "'$comparison' went unnoticed"; exit 1; fi
  grep -q "src/engine/measure/young.h:1" "$copy/log"
done
rm "$copy/src/engine/measure/young.h"

python3 "$copy/scripts/check_openings.py" >"$copy/log" || { cat "$copy/log"; exit 1; }
seq -f 'int silent%g;' 101 >"$copy/src/foundation/base/silent.h"
if python3 "$copy/scripts/check_openings.py" >"$copy/log"; then echo "a long file without a word went unnoticed"; exit 1; fi
grep -q "src/foundation/base/silent.h" "$copy/log"
rm "$copy/src/foundation/base/silent.h"

echo 'inline int leaked() { return 1; } int (*kept)() = leaked; namespace avx2 { inline int own() { return 2; } int (*kept)() = own; }' >"$copy/leak.cpp"
"${CXX:-c++}" -c "$copy/leak.cpp" -o "$copy/leak.o"
if python3 "$copy/scripts/check_symbols.py" avx2: "$copy/leak.o" >"$copy/log"; then echo "a weak symbol went unnoticed"; exit 1; fi
grep -q "'leaked()' is weak" "$copy/log"
! grep -q "own()" "$copy/log"

python3 "$copy/scripts/coverage.py"
echo 'OPCODE(one_more, "one_more", "d s", "u32", compute)' >>"$copy/src/code/ir/opcodes.def"
if python3 "$copy/scripts/coverage.py" --check >"$copy/log"; then echo "an old coverage page went unnoticed"; exit 1; fi

python3 "$copy/tools/hw/page.py" --check
sed -i 's/"count":1/"count":2/' "$copy/tests/hardware/data/h200_launches.json"
if python3 "$copy/tools/hw/page.py" --check 2>"$copy/log"; then echo "an old page of the hardware went unnoticed"; exit 1; fi
grep -q "tests/hardware/HARDWARE.md" "$copy/log"

echo '[nowhere](no_such_page.md)' >"$copy/docs/BAD.md"
if python3 "$copy/scripts/check_links.py" >"$copy/log"; then echo "a dead link went unnoticed"; exit 1; fi
grep -q "no_such_page" "$copy/log"
echo '// As elsewhere (base/no_such_file.h).' >"$copy/src/foundation/base/lost.h"
if python3 "$copy/scripts/check_links.py" >"$copy/log"; then echo "a comment that names a lost file went unnoticed"; exit 1; fi
grep -q "base/no_such_file.h" "$copy/log"
rm "$copy/src/foundation/base/lost.h"

rm "$copy/docs/BAD.md"
python3 "$copy/scripts/check_words.py" >"$copy/log" || { cat "$copy/log"; exit 1; }
echo "This sentence goes on and on and on and on and on and on and on and on and on and on and on and on and on and on and on and on." >"$copy/docs/BAD.md"
if python3 "$copy/scripts/check_words.py" >"$copy/log"; then echo "a long sentence went unnoticed"; exit 1; fi
grep -q "docs/BAD.md:1: 3" "$copy/log"

python3 "$copy/scripts/rules_page.py" --check
sed -i 's/Few lanes of the warp take part/Few lanes/' "$copy/src/judgement/findings/rules.def"
if python3 "$copy/scripts/rules_page.py" --check 2>"$copy/log"; then echo "an old page of rules went unnoticed"; exit 1; fi
