#!/bin/bash
# Measures pairs of kernels with Nsight Compute on this machine's GPU: time, sectors and passes of each launch.
#   variants.sh FIGURES.json [variants|variants_public|variants_more]      the program beside this script
# Needs nvcc, ncu, python3 and permission to read performance counters.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?where to write the figures}
program=${2:-variants}
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
arch=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d .)
{
  nvidia-smi --query-gpu=name --format=csv,noheader | head -1
  nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -1
  nvcc --version | sed -n 's/.*release .*, V//p'
  ncu --version | sed -n 's/^Version \([^ ]*\).*/\1/p'
  date +%F
} > "$work/machine.txt"
nvcc -O3 -arch="sm_$arch" -lineinfo -o "$work/variants" "$here/$program.cu"
l=l1tex__
counters=gpu__time_duration.sum,${l}t_sectors_pipe_lsu_mem_global_op_ld.sum,${l}t_sectors_pipe_lsu_mem_global_op_st.sum
counters+=,${l}t_sectors_pipe_lsu_mem_local_op_ld.sum,${l}t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum
"$work/variants" 2 > "$work/pairs.tsv" # which launches there are, and in which order
ncu --cache-control none --clock-control none --csv --page raw --metrics "$counters" "$work/variants" 2 | grep '^"' > "$work/ncu.csv"
python3 "$here/variants.py" figures "$work/machine.txt" "$work/pairs.tsv" "$work/ncu.csv" > "$out"
