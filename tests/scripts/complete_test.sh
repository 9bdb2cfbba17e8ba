# Nothing is lost in silence: launches whose records could not be written, that were refused, that a filter left out or
# that a process makes which outlives the program are told, "every warp counted" is said only where it is so, and
# --strict fails.
. "$(dirname "$0")/common.sh"
program="$source_dir/tests/scripts/programs/launches.cu"
run "$warplens" run --compiler clang --strict "$program" many 3
expect_code 0
expect_in stderr 'exact \(every'

strict() { # PATTERN, ARGUMENTS: what is said, and the exit code of --strict
  pattern=$1
  shift
  run "$warplens" run --compiler clang --json report.json --strict "$@"
  expect_code 1
  tr -s '\n ' ' ' <stderr >words # lines end where the terminal does
  expect_in words "$pattern"
  expect_not_in words 'every warp|no kernel launch was seen'
  expect_json report.json 'r["complete"]' False
}
strict 'touch.*refused.*cudaErrorInvalidValue' "$program" mixed
expect_json report.json '[(l["status"], l["error"]) for l in r["launches"]]' \
  "[('exact', None), ('refused', 'cudaErrorInvalidValue')]"
strict '5 launches were refused' "$program" refused
expect_json report.json '[l["error"] for l in r["launches"]]' \
  "['cudaErrorInvalidValue', 'cudaErrorInvalidValue', 'cudaErrorInvalidValue', 'cudaErrorInvalidResourceHandle', 'cudaErrorInvalidDeviceFunction']"
strict "matches --kernel 'nothing_like_it'" --kernel nothing_like_it "$program" many 2
expect_in words 'launched: touch'
strict 'a process of the program still runs' "$program" daemon
expect_json report.json 'r["missing"]["processes"]' 1


# A limit on the size of files: the signal that comes with it does not kill the program.
strict 'launches are missing: the program is not allowed to write files of that size' "$program" limited 300
expect_in stdout cudaSuccess
expect_json report.json 'r["missing"]["launches"] + sum(l["count"] for l in r["launches"]), r["missing"]["launches"] > 0' '(300, True)'

# The program removes WarpLens's files: they are still open on both sides.
mkdir temporary
TMPDIR="$scratch/temporary" run "$warplens" run --compiler clang --strict "$program" unlinked 3
expect_code 0
expect_in stderr '3 launches'

mkdir small
if ! mount -t tmpfs -o size=16m none small 2>/dev/null; then
  echo "not tried: a full disk, which takes the right to mount one"
  exit 0
fi
trap 'umount "$scratch/small"; rm -rf "$scratch"' EXIT
export TMPDIR="$scratch/small"
strict 'launches are missing: the disk that holds the temporary folder .* is full' "$program" full 300 "$TMPDIR/fill"
expect_json report.json 'r["missing"]["launches"] + sum(l["count"] for l in r["launches"]), r["missing"]["launches"] > 0' '(300, True)'
# Where no launch at all came through, a run without a gate fails, too.
cat >touch.ptx <<'PTX'
.version 8.0
.target sm_80
.address_size 64
.visible .entry touch(.param .u64 p) { .reg .b64 %a; ld.param.u64 %a, [p]; st.global.u32 [%a], 1; ret; }
PTX
cat /dev/zero >"$TMPDIR/fill" 2>/dev/null || true
run "$warplens" run touch.ptx --grid 1 --block 32 --arg 'f32[32]'
expect_code 2
expect_in stderr '1 launch is missing: the disk'
rm "$TMPDIR/fill"
[ -z "$(ls "$TMPDIR")" ] || fail "left behind: $(ls "$TMPDIR")"
