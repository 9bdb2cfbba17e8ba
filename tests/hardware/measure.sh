#!/bin/bash
# Measures programs with Nsight Compute on this machine's GPU, for comparison with what WarpLens counts for them.
#
#   measure.sh FIGURES.json [FILE.cu…]     default: every program in examples/
#
# Each program is compiled to the PTX that WarpLens runs and to machine code made from it, then profiled with
# per-instruction counters. figures.py sums them per source line. KEEP=DIR keeps reports and listings in DIR.
# Needs nvcc, cuobjdump, nvdisasm, ncu, python3 and permission to read performance counters.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?where to write the figures}; shift
[ $# -gt 0 ] || set -- "$here"/../../examples/*.cu
work=${KEEP:-$(mktemp -d)}; mkdir -p "$work"
arch=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d .)
{
  nvidia-smi --query-gpu=name --format=csv,noheader | head -1
  nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -1
  nvcc --version | sed -n 's/.*release .*, V//p'
  ncu --version | sed -n 's/^Version \([^ ]*\).*/\1/p'
  date +%F
} > "$work/machine.txt"

# Counters that the hardware sums over a launch, beside the per-instruction ones of the section.
l=l1tex__
launch_counters=${l}t_requests_pipe_lsu_mem_global_op_ld.sum,${l}t_requests_pipe_lsu_mem_global_op_st.sum
launch_counters+=,${l}t_requests_pipe_lsu_mem_local_op_ld.sum,${l}t_requests_pipe_lsu_mem_local_op_st.sum
launch_counters+=,${l}t_sectors_pipe_lsu_mem_local_op_ld.sum,${l}t_sectors_pipe_lsu_mem_local_op_st.sum
launch_counters+=,${l}data_pipe_lsu_wavefronts_mem_shared.sum,idc__requests.sum
# of asynchronous copies
s=smsp__sass_l1tex_
launch_counters+=,${s}data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum,${s}data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum
launch_counters+=,${s}tags_mem_global.sum,${s}t_output_wavefronts_pipe_lsu_mem_global_op_ldgsts_cache_access.sum

for source in "$@"; do
  name=$(basename "$source" .cu)
  nvcc -O3 -lineinfo -cudart shared -gencode "arch=compute_$arch,code=[compute_$arch,sm_$arch]" \
    -o "$work/$name" "$source"
  (cd "$work" && rm -f ./*.cubin && cuobjdump -xelf all "$name" > /dev/null &&
    for cubin in *.cubin; do nvdisasm -c -gi "$cubin"; done > "$name.sass")
  ncu -f -o "$work/$name" --cache-control none --clock-control none --section SourceCounters \
    --metrics "$launch_counters" "$work/$name" > "$work/$name.log" || { tail "$work/$name.log" >&2; exit 1; }
  echo "$name measured" >&2
done
interface=$(dirname "$(readlink -f "$(command -v ncu)")") # the Python interface lies in the profiler's folder
modules=$(find -L "$interface" "${NSIGHT_COMPUTE:-/opt/nvidia}" -name ncu_report.py 2> /dev/null | head -1)
PYTHONPATH=$(dirname "$modules") python3 "$here/figures.py" "$work" "$@" > "$out"
