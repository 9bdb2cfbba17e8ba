// What locks.cubin was made of: nvcc -O3 -arch=sm_90 -cubin locks.cu, without -lineinfo (13.0). A number is loaded right in front of a loop
// that waits for a lock, as for the next round.
__global__ void take(const int* numbers, int* lock, int* sum) {
  for (int i = 0; i < 2; ++i) {
    const int number = numbers[threadIdx.x + i];
    while (atomicExch(lock, 1) != 0) continue;
    *sum += number;
    __threadfence();
    atomicExch(lock, 0);
  }
}
