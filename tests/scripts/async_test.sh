# cuda::barrier and cuda::pipeline, clusters, bulk copies and tensor maps in programs that nvcc compiles: that results are right,
# and what is counted of the copies.
. "$(dirname "$0")/common.sh"
programs="$source_dir/tests/scripts/programs"
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || skip "nvcc is not here"
build() { # NAME SM
  "$nvcc" -std=c++17 -lineinfo -gencode "arch=compute_$2,code=compute_$2" "$programs/$1.cu" -o "$1-$2"
}

for sm in 80 90; do # the headers do it differently
  build barriers $sm
  run "$warplens" run --json report.json "./barriers-$sm"
  expect_code 0
  expect_in stdout 'every sum is right'
  expect_json report.json "sorted(set(l['status'] for l in r['launches']))" "['exact']"
done
run "$warplens" run --check sync --json report.json ./barriers-90
expect_code 0
expect_in stdout 'every sum is right'
expect_not_in stderr 'sync-'

build clusters 90
run "$warplens" run --json report.json ./clusters-90
expect_in stdout 'clusters are right'
expect_in stdout 'clusters of 3: cudaErrorInvalidClusterSize'
expect_in stdout 'clusters of 16: cudaErrorInvalidClusterSize'
expect_in stdout 'at most 8'

build bulk 90
run "$warplens" run --json report.json ./bulk-90
expect_code 0
expect_in stdout 'rows and tiles are right'
# Of 4 blocks, a row of 1 KiB each, in and out: 32 sectors. Of a matrix of 100 by 70 floats with rows of 448 bytes, in tiles of 32 by 32:
# a row has 13 sectors, 12.5 of which are asked for; turned, 9, up to the next 16 bytes behind its 70 floats.
expect_json report.json "[(s['instructions'], s['sectors'], s['bytes_used']) for l in r['launches'] for s in l['sites']
    if s['ptx'].startswith('cp.async.bulk')]" \
  '[(4, 128, 4096), (4, 128, 4096), (12, 910, 28000), (12, 900, 28800)]'
