# No handle outlives cudaDeviceReset, and what is made afterwards works.
. "$(dirname "$0")/common.sh"
libraries="$(dirname "$warplens")/lib/libraries"
for devices in 1 2; do
  run "$warplens" run --compiler clang --report report.txt --devices $devices \
    --compile-options "$libraries/libcublas.so.13 $libraries/libcufft.so.12" "$source_dir/tests/scripts/programs/reset.cu"
  [ "$(cat stdout)" = "0 wrong" ] || fail "$devices devices: $(cat stdout)"
  expect_code 0
done
