#!/bin/sh
# Measures a list of programs on this machine's GPU, counts them with WarpLens, and compares, launch by launch.
#
#   tools/hw/measure.sh LIST OUT      LIST: a line for each program, "NAME COMMAND…"; OUT: a folder
#
# For each program OUT gets NAME.json (what WarpLens counts), NAME.csv (what Nsight Compute says) and NAME.compared.json, and, of
# all, page.md: docs/HARDWARE_LAUNCHES.md is such a page. What is there already is not measured again, so that a run that was cut
# short goes on where it was. LAUNCHES (default 10) of each program are measured; LINES=1 measures each instruction, too (NAME.ncu-rep).
# Needs ncu with permission to read counters, python3, and warplens: WARPLENS, or the one in build/release.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
list=${1:?a file with a line for each program: NAME COMMAND…} out=${2:?a folder for the results}
warplens=${WARPLENS:-$here/../../build/release/warplens}
launches=${LAUNCHES:-10} seconds=${SECONDS_EACH:-120}
mkdir -p "$out"

l=l1tex__
counters=gpu__time_duration.sum,idc__requests.sum,${l}data_pipe_lsu_wavefronts_mem_lgds.sum,${l}data_pipe_lsu_wavefronts_mem_shared.sum
for op in ld st red atom; do
  counters=$counters,${l}t_requests_pipe_lsu_mem_global_op_$op.sum,${l}t_output_wavefronts_pipe_lsu_mem_global_op_$op.sum
done
for op in ld st; do
  counters=$counters,${l}t_sectors_pipe_lsu_mem_global_op_$op.sum,${l}t_sectors_pipe_lsu_mem_local_op_$op.sum
  counters=$counters,${l}t_requests_pipe_lsu_mem_local_op_$op.sum,${l}data_pipe_lsu_wavefronts_mem_shared_op_$op.sum
done

profile() { timeout -k 5 "$seconds" ncu --cache-control none --clock-control none --launch-count "$launches" "$@"; }

while read -r name command; do
  case $name in '' | '#'*) continue ;; esac
  echo "$name" >&2
  # The command is words of a shell, as the list has them.
  [ -s "$out/$name.json" ] ||
    timeout -s INT -k 5 "$seconds" sh -c "exec '$warplens' run --launches $launches --json '$out/$name.json' --report /dev/null $command" \
      < /dev/null > "$out/$name.out" 2>&1 || true
  if [ "${LINES:-0}" = 1 ]; then
    measured=$out/$name.ncu-rep
    [ -s "$measured" ] ||
      profile -f -o "$measured" --section SourceCounters --metrics "$counters" sh -c "exec $command" < /dev/null > "$out/$name.ncu" 2>&1 || true
  else
    measured=$out/$name.csv
    [ -s "$measured" ] ||
      profile --csv --page raw --target-processes all --metrics "$counters" sh -c "exec $command" < /dev/null > "$measured" 2> "$out/$name.ncu" || true
  fi
  "$warplens" compare --json "$out/$name.compared.json" "$out/$name.json" "$measured" > "$out/$name.compared.txt" 2>&1 || true
done < "$list"
python3 "$here/page.py" "$out" > "$out/page.md"
echo "$out/page.md is written" >&2
