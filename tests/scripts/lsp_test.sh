# The language server with a real editor: Neovim, without a window, does what lsp.lua says. And what is no conversation.
. "$(dirname "$0")/common.sh"

# A stream that is none is refused with an error of JSON-RPC, and an editor that goes is no crash.
talk() { # bytes, as printf writes them
  code=0
  printf "$1" | "$warplens" lsp >stdout 2>stderr || code=$?
}
talk 'Content-Length: 99999999999\r\n\r\n{}'
expect_code 2
expect_in stdout '"error":\{"code":-32700'
talk ''
expect_code 1
talk 'Content-Length: 5\r\n\r\n{"id'
expect_code 1
expect_empty stdout
talk 'Content-Length: 2\r\n\r\n{]Content-Length: 33\r\n\r\n{"jsonrpc":"2.0","method":"exit"}'
expect_code 1
expect_in stdout '"code":-32700'
talk 'Content-Length: 36\r\n\r\n{"id":1,"method":"initialize"      }Content-Length: 28\r\n\r\n{"id":2,"method":"shutdown"}Content-Length: 17\r\n\r\n{"method":"exit"}'
expect_code 0
expect_in stdout '"serverInfo":\{"name":"warplens"'

command -v nvim >/dev/null || skip "Neovim is not installed (scripts/test-packages.txt)"
mkdir -p project/.warplens project/build home
cp "$source_dir/tests/scripts/programs/lsp.cu" "$source_dir/tests/scripts/programs/lsp.cuh" project
cd project
# The folder asks for it: from a folder below, too, and where there is none nothing is written.
cd build
run "$warplens" run --compiler clang ../lsp.cu
expect_code 0
cd ..
[ -s .warplens/last-run.json ] || fail "run kept nothing for the editor"
[ -z "$(find build -name '*.json' -o -name .warplens)" ] || fail "run left a file that nobody asked for"
printf '[severity]\nbank-conflict = "off"\n' >.warplens.toml
# The hints on the screen, as editors/neovim/warplens.lua draws them.
PLUGIN="$source_dir/editors/neovim/warplens.lua" EDITED="$PWD/lsp.cu" SERVER="$warplens lsp --compiler clang" HOME="$scratch/home" \
  XDG_CONFIG_HOME="$scratch/home" XDG_STATE_HOME="$scratch/home" XDG_DATA_HOME="$scratch/home" \
  nvim --headless -u NONE -n -c "luafile $source_dir/tests/scripts/lsp_screen.lua" >stdout 2>stderr </dev/null
expect_not_in stdout 'TIMEOUT|FAILED'
expect_in stdout '^SCREEN .*tile\[threadIdx\.x\]\[0\] = in\[threadIdx\.x\];  .*load in: 4 sectors · store tile: 32 wavefronts, 1 would do'
expect_in stdout '^SCREEN .*out\[threadIdx\.x \* step\] = .*; +load in: 4 sectors · .* +last run: store out: 32 sectors, 4 would do'
edit() {
  RUN="$1" EDITED="$PWD/$2" SERVER="$warplens lsp --compiler clang" HOME="$scratch/home" XDG_CONFIG_HOME="$scratch/home" \
    XDG_STATE_HOME="$scratch/home" XDG_DATA_HOME="$scratch/home" nvim --headless -u NONE -n -c "luafile $source_dir/tests/scripts/lsp.lua" >stdout 2>stderr </dev/null
}
edit 'last run' lsp.cu
expect_not_in stdout 'TIMEOUT|FAILED'
expect_in stdout "^DIAGNOSTIC 9:3-26 store of 4 bytes to 'out': stride 128 bytes \(32 floats\) \| 32 sectors per request where 4 would do \(9\.0\).*\(7\.0\).*fix: "
expect_not_in stdout '^DIAGNOSTIC .*bank conflict' # .warplens.toml: off
expect_not_in stdout "of '([a-z]*)' of '"
expect_in stdout "^HOVER \*\*load of 4 bytes from 'in': coalesced.*store of 4 bytes to 'out': uncoalesced, stride 128 bytes \(32 floats\).*holds for every launch"
expect_in stdout '^HINT 9 load in: 4 sectors · load tile: 32 wavefronts, 1 would do · store out: 32 sectors, 4 would do$'
expect_in stdout '^HINT 9 last run: .*store out: 32 sectors, 4 would do'
expect_in stdout '^MOVED-HINT 10 last run: '
expect_in stdout '^BROKEN not checked: expected expression$'
expect_in stdout '^STILL 1$'
expect_in stdout '^ACCEPTED 0$'
expect_in stdout '^END$'
expect_in lsp.cu '^  // warplens: ignore uncoalesced-store: accepted as it is$'
# What Nsight Compute counted is beside it, of a source that is no newer; its report has the path of another machine.
cp "$source_dir/tests/measured/data/transpose.ncu-rep" .warplens/measured.ncu-rep
cp "$source_dir/examples/transpose.cu" .
touch -d '2020-01-01' transpose.cu
edit measured transpose.cu
expect_not_in stdout 'TIMEOUT|FAILED'
expect_in stdout '^HINT 22 load in: 4…5 sectors · store out: 1…32 sectors, 4 would do'
expect_in stdout '^HINT 22 measured: load: 4 sectors · store: 32 sectors, 4 would do'
[ -z "$(find . -name 'warplens-tmp-*')" ] || fail "temporary files are left"
