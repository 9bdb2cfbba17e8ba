# WarpLens's CUDA headers with clang: values of any type from lane to lane and other things that public programs use.
. "$(dirname "$0")/common.sh"
run "$warplens" run --compiler clang --json report.json "$source_dir/tests/scripts/programs/headers.cu"
expect_code 0
expect_in stdout '^0 wrong$'
expect_json report.json '[l["status"] for l in r["launches"]]' "['exact', 'exact']"

# nvcuda::wmma.
run "$warplens" run --compiler clang "$source_dir/tests/scripts/programs/wmma.cu"
expect_code 0
expect_in stdout '^PASSED$'
[ "$(grep -c ': 0 wrong$' stdout)" = 35 ] || fail "35 products were to be tried"

# cuda::barrier, cuda::pipeline and what goes with them.
run "$warplens" run --compiler clang --json report.json "$source_dir/tests/scripts/programs/pipelines.cu"
expect_code 0
expect_in stdout '^PASSED$'
expect_json report.json 'set(l["status"] for l in r["launches"])' "{'exact'}"

# What the lanes of a warp compute together is what nvcc's headers make of it, as PTX and as machine code.
warp_functions() { # OPTIONS…
  run env WARPLENS_PTXAS= "$warplens" run "$@" "$source_dir/tests/scripts/programs/warp_functions.cu"
  expect_code 0
  sed -n '/^WarpLens: /q;p' stdout >got.txt
  if [ -n "${WARPLENS_REBASE:-}" ]; then cp got.txt "$golden"; fi
  diff "$golden" got.txt >stderr || fail "run $*: other values than $golden"
}
golden="$source_dir/tests/scripts/data/warp_functions.txt"
warp_functions --compiler clang --code ptx
if [ -x "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)" ]; then
  warp_functions --compiler clang --code machine
  warp_functions --code ptx
  warp_functions --code machine
fi

# Thrust and CUB where Debian has them (libthrust-dev, libcub-dev), without a toolkit.
[ -e /usr/include/thrust/sort.h ] || exit 0
cat >sorted.cu <<'EOF'
#include <cub/block/block_reduce.cuh>
#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
int main() {
  thrust::host_vector<int> host(5000);
  for (int i = 0; i < 5000; ++i) host[i] = i * 7919 % 5003;
  thrust::device_vector<int> device = host, sums(5000);
  thrust::sort(device.begin(), device.end());
  thrust::inclusive_scan(device.begin(), device.end(), sums.begin());
  thrust::host_vector<int> got = device, sum = sums;
  int wrong = 0;
  for (int i = 1; i < 5000; ++i) wrong += got[i - 1] > got[i] || sum[i] != sum[i - 1] + got[i];
  std::printf("%d wrong\n", wrong);
}
EOF
run "$warplens" run --compiler clang sorted.cu
expect_code 0
expect_in stdout '^0 wrong$'
