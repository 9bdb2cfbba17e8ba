#!/bin/sh
# Measures a list of programs on this machine's GPU, counts them with WarpLens, and compares, launch by launch.
#
#   tools/hw/measure.sh LIST OUT [AGAIN]      LIST: a line for each program, "NAME COMMAND…" (build.sh makes one); OUT: a folder
#
# For each program OUT gets NAME.ptx.json and NAME.machine-code.json (what WarpLens counts), NAME.csv (what Nsight Compute says) and
# NAME.compared.json, and, of all, launches.json and page.md: tests/hardware/HARDWARE.md and tests/hardware/HARDWARE_LAUNCHES.md are such pages. What is there
# already is not measured again, so that a run that was cut short goes on where it was, and one machine may count what another measured.
# WarpLens counts JOBS programs at once (default: a third of the processors), and the GPU measures, one after the other, those that ended under
# WarpLens. LAUNCHES (default 6) of each program are measured; LINES=1 measures each instruction, too (NAME.ncu-rep). Nobody waits for a
# program longer than SECONDS_EACH (default 120); from UNTIL on (seconds since 1970) none is begun on the GPU. AGAIN is a folder with a second
# measurement of all or some of the programs, made by this script, too: it tells which sums the hardware does not repeat.
# Needs python3 and warplens (WARPLENS, or the one in build/release); to measure, ncu with permission to read counters.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
warplens=${WARPLENS:-$here/../../build/release/warplens}
launches=${LAUNCHES:-6} seconds=${SECONDS_EACH:-120}

# count NAME COMMAND…: what WarpLens says. A command is words of a shell, as the list has them.
count() {
  name=$1 && shift
  for kind in ${KINDS:-ptx machine-code}; do
    [ "$kind" = ptx ] && code=ptx || code=auto
    [ -s "$out/$name.$kind.json" ] ||
      timeout -s INT -k 5 "$seconds" sh -c "exec '$warplens' run --code $code --launches $launches --json '$out/$name.$kind.json' --report /dev/null $*" \
        < /dev/null > "$out/$name.$kind.out" 2>&1 || true
  done
  : > "$out/$name.counted"
}
# Did it end in its time, with launches to compare?
ended() { grep -q '"complete": *true' "$out/$1.machine-code.json" 2> /dev/null; }
l=l1tex__ wavefronts=l1tex_data_pipe_lsu_wavefronts_mem_shared_op
counters=gpu__time_duration.sum,idc__requests.sum,${l}data_pipe_lsu_wavefronts_mem_lgds.sum,${l}data_pipe_lsu_wavefronts_mem_shared.sum
for op in ld st red atom; do
  counters=$counters,${l}t_requests_pipe_lsu_mem_global_op_$op.sum,${l}t_output_wavefronts_pipe_lsu_mem_global_op_$op.sum
done
for op in ld st; do
  counters=$counters,${l}t_sectors_pipe_lsu_mem_global_op_$op.sum,${l}t_sectors_pipe_lsu_mem_local_op_$op.sum
  counters=$counters,${l}t_requests_pipe_lsu_mem_local_op_$op.sum,${l}t_output_wavefronts_pipe_lsu_mem_local_op_$op.sum
done
for op in ld st atom; do counters=$counters,${l}data_pipe_lsu_wavefronts_mem_shared_op_$op.sum; done
for op in ld ldsm st stsm atom ldgsts; do counters=$counters,smsp__sass_${wavefronts}_$op.sum; done

profile() { timeout -k 5 "$seconds" ncu --cache-control none --clock-control none --launch-count "$launches" --kill yes "$@"; }
measured_file() { [ "${LINES:-0}" = 1 ] && echo "$out/$1.ncu-rep" || echo "$out/$1.csv"; }
# measure NAME COMMAND…: what the GPU counts, of the launches alone that are asked for.
measure() {
  name=$1 && shift
  measured=$(measured_file "$name")
  [ ! -s "$measured" ] || return 0
  if [ "${LINES:-0}" = 1 ]; then
    profile -f -o "$measured" --section SourceCounters --metrics "$counters" sh -c "exec $*" < /dev/null > "$out/$name.ncu" 2>&1 || true
  else
    profile --csv --page raw --target-processes all --metrics "$counters" sh -c "exec $*" < /dev/null > "$measured" 2> "$out/$name.ncu" || true
  fi
}
# The script calls itself for one program, so that xargs can count many at once.
case ${1:-} in
--count | --measure)
  what=${1#--} out=$2 && shift 2
  set -f
  # shellcheck disable=SC2086
  $what $1
  exit 0
  ;;
esac

list=${1:?a file with a line for each program: NAME COMMAND…} out=${2:?a folder for the results} again=${3:-}
jobs=${JOBS:-$((($(nproc) + 2) / 3))}
mkdir -p "$out"
programs() { sed '/^[[:space:]]*#/d; /^[[:space:]]*$/d' "$list"; }

if [ ! -s "$out/machine.txt" ] && command -v nvidia-smi > /dev/null; then
  nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1
  ncu --version | sed -n 's/^Version \([^ ]*\).*/\1/p'
  date +%F
fi > "$out/machine.new" && { [ ! -s "$out/machine.new" ] || mv "$out/machine.new" "$out/machine.txt"; }
rm -f "$out/machine.new"

programs | while read -r name _; do rm -f "$out/$name.counted"; done
programs | xargs -P "$jobs" -d '\n' -n 1 sh "$0" --count "$out" &
counting=$!
programs | while read -r line; do
  name=${line%% *}
  while [ ! -e "$out/$name.counted" ]; do sleep 0.2; done
  ended "$name" || continue
  [ -z "${UNTIL:-}" ] || [ "$(date +%s)" -lt "$UNTIL" ] || break
  echo "$name" >&2
  sh "$0" --measure "$out" "$line"
done
wait $counting || true
programs | while read -r name command; do
  "$warplens" compare --json "$out/$name.compared.json" "$out/$name.machine-code.json" "$out/$name.ptx.json" "$(measured_file "$name")" \
    > "$out/$name.compared.txt" 2>&1 || true
  [ -z "$again" ] || [ ! -s "$again/$name.csv" ] ||
    "$warplens" compare --json "$out/$name.again.json" "$out/$name.machine-code.json" "$out/$name.csv" "$again/$name.csv" > "$out/$name.again.txt" 2>&1 || true
done
python3 "$here/keep.py" "$list" "$out" > "$out/launches.json"
python3 "$here/page.py" --data "$out/launches.json" > "$out/page.md"
echo "$out/page.md is written" >&2
