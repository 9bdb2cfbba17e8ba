// Some megabytes of PTX: what CUB makes of sorting, scanning and reducing several types.
#include <cub/cub.cuh>

template <class T> void all(T* in, T* out, int n) {
  size_t bytes = 0;
  void* none = nullptr;
  cub::DeviceRadixSort::SortKeys(none, bytes, in, out, n);
  cub::DeviceRadixSort::SortPairs(none, bytes, in, out, in, out, n);
  cub::DeviceScan::ExclusiveSum(none, bytes, in, out, n);
  cub::DeviceReduce::Sum(none, bytes, in, out, n);
  cub::DeviceSelect::Unique(none, bytes, in, out, out, n);
  cub::DeviceRunLengthEncode::Encode(none, bytes, in, out, out, out, n);
  cub::DeviceMergeSort::SortKeys(none, bytes, out, n, [] __device__(T a, T b) { return a < b; });
}

void instantiate() {
  all<int>(nullptr, nullptr, 1);
  all<unsigned long long>(nullptr, nullptr, 1);
  all<float>(nullptr, nullptr, 1);
  all<double>(nullptr, nullptr, 1);
  all<short>(nullptr, nullptr, 1);
  all<unsigned char>(nullptr, nullptr, 1);
}
