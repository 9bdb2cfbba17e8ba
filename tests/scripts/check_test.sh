# --check sync: barriers that not all threads keep to are named with line, lanes and where the others are; --strict fails;
# without the option, and for kernels in order, nothing is said.
. "$(dirname "$0")/common.sh"
program="$source_dir/tests/scripts/programs/checks.cu"
case_of() { run "$warplens" run --compiler clang --json report.json "$@"; }
kinds='[d["kind"] for l in r["launches"] for d in l["diagnostics"]]'

case_of --check sync --strict "$program" uniform
expect_code 0
expect_json report.json "$kinds" '[]'

case_of --check sync "$program" divergent
expect_code 0
expect_in stdout '^sync: cudaSuccess$'
expect_json report.json "$kinds" "['sync-divergent-warp']"
said='" | ".join(" ".join([d["file"].split("/")[-1], str(d["line"]), d["message"]] + d["notes"]) for l in r["launches"] for d in l["diagnostics"])'
expect_said() { json report.json "$said" >said; expect_in said "$1"; }
expect_said 'checks.cu 13 8 of the 32 threads of warp 1 come to barrier 0 here'
expect_said 'threads 0-7 of warp 1 of block .*checks.cu:13'
expect_said 'threads 8-31 of warp 1 of block .*ended without coming'
case_of --check sync --strict "$program" divergent
expect_code 1
case_of --strict "$program" divergent
expect_code 0
expect_json report.json "$kinds" '[]'

case_of --check sync "$program" branches
expect_json report.json "$kinds" "['sync-divergent-block']"
expect_said 'warp 0 of block .*checks.cu:19'
expect_said 'warp 1 of block .*checks.cu:22'

case_of --check sync --proofs=always "$program" mask # no proof: every block has to be looked at
expect_json report.json "$kinds" "['sync-not-named']"
expect_json report.json 'r["launches"][0]["status"]' exact

# A barrier that threads which have ended can no longer reach is a deadlock, with or without the check.
case_of "$program" named
expect_in stdout '^sync: cudaErrorLaunchTimeout$'
expect_said 'checks.cu 31 .*needs 96 threads, 32 have come, 32 of 64 have ended'

run "$warplens" run --check everything "$program"
expect_code 2
expect_in stderr 'check'
