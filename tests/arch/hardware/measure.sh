#!/bin/bash
# Measures the patterns of patterns.cu, stages.cu and operations.cu with Nsight Compute on this machine's GPU and writes JSON lines
# in the format of tests/arch/data to OUT/patterns.jsonl.
#
#   measure.sh OUT SECONDS [FAMILY…]     stops starting new chunks of launches after SECONDS; all families by default
#
# CHUNK launches (60) are one run of the profiler. Needs nvcc, ncu, python3 and permission to read performance counters.
set -u
out=${1:?where to write}; limit=${2:-300}; start=$SECONDS
here=$(cd "$(dirname "$0")" && pwd); work=$(mktemp -d)
for program in patterns stages operations; do
  nvcc -O1 -std=c++17 -arch=native -o "$work/$program" "$here/$program.cu" || exit 2
done
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader > "$out/machine.txt"
ncu --version | tail -2 >> "$out/machine.txt"

l=l1tex__; s=smsp__sass_l1tex_
t=${l}t_output_wavefronts_pipe_lsu_mem_global_op_
stages="${t}ld.sum,${t}st.sum,${t}red.sum,${t}atom.sum,${l}data_pipe_lsu_wavefronts_mem_lgds.sum"
declare -A metrics=(
  [wide_loads]="memory_l1_wavefronts_shared,memory_l1_wavefronts_shared_ideal,${l}data_pipe_lsu_wavefronts_mem_shared_op_ld.sum,${l}data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"
  [async_copy]="memory_l2_theoretical_sectors_global,memory_l1_wavefronts_shared,${s}tags_mem_global.sum,${s}data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum,${s}data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum,${l}data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum,${s}t_output_wavefronts_pipe_lsu_mem_global_op_ldgsts_cache_access.sum,${l}data_pipe_lsu_wavefronts_mem_shared.sum,${l}data_pipe_lsu_wavefronts.sum,${l}data_bank_writes.sum"
  [local]="${l}t_requests_pipe_lsu_mem_local_op_ld.sum,${l}t_sectors_pipe_lsu_mem_local_op_ld.sum,${l}t_set_accesses_pipe_lsu_mem_local_op_ld.sum,${l}t_output_wavefronts_pipe_lsu_mem_local_op_ld.sum,smsp__sass_inst_executed_op_local_ld.sum"
  [atomics]="memory_l2_theoretical_sectors_global,${l}t_requests_pipe_lsu_mem_global_op_atom.sum,${l}t_requests_pipe_lsu_mem_global_op_red.sum,${l}t_sectors_pipe_lsu_mem_global_op_atom.sum,${l}t_sectors_pipe_lsu_mem_global_op_red.sum,${l}t_output_wavefronts_pipe_lsu_mem_global_op_atom.sum,${l}t_output_wavefronts_pipe_lsu_mem_global_op_red.sum,${l}data_pipe_lsu_wavefronts_mem_lgds.sum"
  [shared_atomics]="memory_l1_wavefronts_shared,memory_l1_wavefronts_shared_ideal,inst_executed,${l}data_pipe_lsu_wavefronts_mem_shared.sum,${l}data_pipe_lsu_wavefronts_mem_shared_op_atom.sum,${l}data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum"
  [global]="memory_l2_theoretical_sectors_global,memory_l1_tag_requests_global,${l}t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum,${l}t_output_wavefronts_pipe_lsu_mem_global_op_st.sum,${l}data_pipe_lsu_wavefronts_mem_lgds.sum,${l}t_set_accesses_pipe_lsu_mem_global_op_ld.sum"
  [texture]="${l}texin_requests_mem_texture.sum,${l}t_requests_pipe_tex_mem_texture.sum,${l}t_sectors_pipe_tex_mem_texture.sum,${l}t_set_accesses_pipe_tex_mem_texture.sum,${l}t_output_wavefronts_pipe_tex_mem_texture.sum,${l}data_pipe_tex_wavefronts_mem_texture.sum"
  [stage_hash]="${l}t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum"
  [stage_far]="${l}t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum,${l}data_pipe_lsu_wavefronts_mem_lgds.sum"
  [stage_loads]="${l}t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum,${l}data_pipe_lsu_wavefronts_mem_lgds.sum"
  [stage_stores]="${l}t_output_wavefronts_pipe_lsu_mem_global_op_st.sum,${l}data_pipe_lsu_wavefronts_mem_lgds.sum"
  [operation_hash]="${l}t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum"
  [operations]="$stages"
  [operation_small]="$stages"
  [operation_moved]="$stages"
  [stage_atomics]="${l}t_output_wavefronts_pipe_lsu_mem_global_op_atom.sum,${l}t_output_wavefronts_pipe_lsu_mem_global_op_red.sum,${l}data_pipe_lsu_wavefronts_mem_lgds.sum"
)
program_of() { case $1 in stage_*) echo "$work/stages" ;; operation*) echo "$work/operations" ;; *) echo "$work/patterns" ;; esac; }

profile() { # FAMILY FIRST COUNT METRICS
  ncu --csv --page raw --print-units base --cache-control none --clock-control none --metrics "$4" \
    "$(program_of "$1")" run "$1" "$2" "$3" 2> "$work/errors"
}

# Counters that this GPU or this ncu does not have are left out.
available() { # FAMILY
  local kept="" name
  if profile "$1" 0 1 "${metrics[$1]}" > "$work/probe.csv"; then echo "${metrics[$1]}"; return; fi
  for name in ${metrics[$1]//,/ }; do
    profile "$1" 0 1 "$name" > "$work/probe.csv" && kept+=",$name" || echo "no counter $name" >&2
  done
  echo "${kept#,}"
}

families=${*:3}; families=${families:-wide_loads async_copy local atomics shared_atomics global texture stage_hash stage_far stage_loads stage_stores stage_atomics operation_hash operations operation_small operation_moved}
declare -A kept total
for family in $families; do
  "$(program_of "$family")" list "$family" > "$work/list.$family"
  kept[$family]=$(available "$family"); total[$family]=$(wc -l < "$work/list.$family")
done
echo "counters known after $((SECONDS - start)) s"
# One chunk of each family in turn, so that a short run still has some of each.
chunk=${CHUNK:-60}
for ((first = 0; first < 2000; first += chunk)); do
  for family in $families; do
    ((first >= total[$family])) && continue
    ((SECONDS - start > limit)) && { echo "out of time at $family $first"; break 2; }
    profile "$family" "$first" "$chunk" "${kept[$family]}" > "$work/chunk.csv" || { tail -n 3 "$work/chunk.csv"; tail -n 3 "$work/errors"; continue; }
    python3 "$here/join.py" "$family" "$first" "$work/list.$family" "$work/chunk.csv" "${kept[$family]}" \
      >> "$out/patterns.jsonl"
    cat "$work/chunk.csv" >> "$out/raw.csv"
  done
  echo "$first: $((SECONDS - start)) s"
done
echo "done after $((SECONDS - start)) s"; wc -l "$out/patterns.jsonl"
