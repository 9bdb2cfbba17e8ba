#!/bin/bash
# What this machine's GPU counts for each kernel of texture_kernels.cu, and what it gives for the fetches of textures.cu:
#
#   texture_kernels.sh OUT [SEED]     writes OUT/texture_kernels.csv (a row per launch and counter) and OUT/fetches.txt
#
# Compare with compare_textures.py. Needs nvcc, ncu and permission to read performance counters.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?where to write}; work=$(mktemp -d)
for program in textures texture_kernels; do
  nvcc -O3 -std=c++17 -lineinfo -arch=native -o "$work/$program" "$here/$program.cu"
done
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader > "$out/machine.txt"
"$work/textures" "${2:-1}" > "$out/fetches.txt"
l=l1tex__
counters=${l}texin_requests_mem_texture.sum,${l}t_requests_pipe_tex_mem_texture.sum,${l}t_sectors_pipe_tex_mem_texture.sum
counters+=,${l}t_requests_pipe_tex_mem_surface_op_ld.sum,${l}t_sectors_pipe_tex_mem_surface_op_ld.sum
counters+=,${l}t_requests_pipe_tex_mem_surface_op_st.sum,${l}t_sectors_pipe_tex_mem_surface_op_st.sum
counters+=,${l}texin_requests.sum,${l}t_sectors.sum,smsp__inst_executed_op_texture.sum,smsp__inst_executed_op_surface.sum
# Counters that this GPU does not have are left out.
kept=
for counter in ${counters//,/ }; do
  if ncu --metrics "$counter" --launch-count 1 "$work/texture_kernels" > "$work/probe" 2>&1 && ! grep -q 'Failed to find' "$work/probe"; then
    kept+=,$counter
  else
    echo "no counter $counter" >&2
  fi
done
ncu --csv --page raw --print-units base --cache-control none --clock-control none --metrics "${kept#,}" \
  "$work/texture_kernels" > "$out/texture_kernels.csv"
