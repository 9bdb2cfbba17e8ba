# examples/embed, a project of its own, built against an installation that was moved: find_package, headers, library.
. "$(dirname "$0")/common.sh"
run cmake --install "$WARPLENS_BUILD_DIR" --prefix "$scratch/first"
expect_code 0
mv first moved
run cmake -S "$source_dir/examples/embed" -B build -DCMAKE_PREFIX_PATH="$scratch/moved"
expect_code 0
run cmake --build build
expect_code 0
run build/embed
expect_code 0
expect_in stdout '^a column on sm_20: 4096 bytes moved for 128$'
expect_in stdout '^a column on sm_90: 1024 bytes moved for 128$'
expect_in stdout '^ld.global.u32: .*, 1024 sectors where 128 would do$'
expect_in stdout '^st.global.u32: .*, 128 sectors where 128 would do$'

# The library exports its interface and nothing else.
strangers=$(nm -DC --defined-only moved/lib/libwarplens.so | awk '{$1 = ""; print}' | grep -vE ' [A-Z] (vtable for |typeinfo (name )?for )?warplens::' || true)
[ -z "$strangers" ] || fail "libwarplens.so exports what is not its interface: $strangers"
