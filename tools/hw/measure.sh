#!/bin/sh
# Measures a list of programs on this machine's GPU, counts them with WarpLens, and compares, launch by launch.
#
#   tools/hw/measure.sh LIST OUT      LIST: a line for each program, "NAME COMMAND…"; OUT: a folder
#
# For each program OUT gets NAME.json (what WarpLens counts), NAME.csv (what Nsight Compute says) and NAME.compared.json, and, of
# all, page.md: docs/HARDWARE_LAUNCHES.md is such a page. What is there already is not measured again, so that a run that was cut
# short goes on where it was. The GPU measures one program after the other; meanwhile WarpLens counts JOBS others (default: a third of the
# processors). LAUNCHES (default 10) of each program are measured; LINES=1 measures each instruction, too (NAME.ncu-rep). Nobody
# waits for a program longer than SECONDS_EACH (default 120). COUNT_AS is what WarpLens counts accesses as (default machine-code, where
# programs have some; ptx).
# Needs ncu with permission to read counters, python3, and warplens: WARPLENS, or the one in build/release.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
warplens=${WARPLENS:-$here/../../build/release/warplens}
launches=${LAUNCHES:-10} seconds=${SECONDS_EACH:-120} count_as=${COUNT_AS:-machine-code}

# count NAME COMMAND…: what WarpLens says. A command is words of a shell, as the list has them.
count() {
  name=$1 && shift
  [ -s "$out/$name.json" ] ||
    timeout -s INT -k 5 "$seconds" sh -c "exec '$warplens' run --count-as $count_as --launches $launches --json '$out/$name.json' --report /dev/null $*" \
      < /dev/null > "$out/$name.out" 2>&1 || true
}
# The script calls itself for one program, so that xargs can count many at once.
if [ "${1:-}" = --count ]; then
  out=$2 && shift 2
  set -f
  count $1
  exit 0
fi

list=${1:?a file with a line for each program: NAME COMMAND…} out=${2:?a folder for the results}
jobs=${JOBS:-$((($(nproc) + 2) / 3))}
mkdir -p "$out"
programs() { sed '/^[[:space:]]*#/d; /^[[:space:]]*$/d' "$list"; }

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

profile() { timeout -k 5 "$seconds" ncu --cache-control none --clock-control none --launch-count "$launches" "$@"; }
measured_file() { [ "${LINES:-0}" = 1 ] && echo "$out/$1.ncu-rep" || echo "$out/$1.csv"; }

programs | xargs -P "$jobs" -d '\n' -n 1 sh "$0" --count "$out" &
counting=$!
programs | while read -r name command; do
  echo "$name" >&2
  measured=$(measured_file "$name")
  if [ -s "$measured" ]; then
    continue
  elif [ "${LINES:-0}" = 1 ]; then
    profile -f -o "$measured" --section SourceCounters --metrics "$counters" sh -c "exec $command" < /dev/null > "$out/$name.ncu" 2>&1 || true
  else
    profile --csv --page raw --target-processes all --metrics "$counters" sh -c "exec $command" < /dev/null > "$measured" 2> "$out/$name.ncu" || true
  fi
done
wait $counting || true
programs | while read -r name command; do
  "$warplens" compare --json "$out/$name.compared.json" "$out/$name.json" "$(measured_file "$name")" > "$out/$name.compared.txt" 2>&1 || true
done
python3 "$here/page.py" "$out" > "$out/page.md"
echo "$out/page.md is written" >&2
