# --devices: what CUDA answers a program that uses two is what two H200 answered; each device has its memory, its variables and its part
# of the report. Skipped where there is no nvcc.
. "$(dirname "$0")/common.sh"
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || skip "nvcc not found"
"$nvcc" -O3 -std=c++17 -w -lineinfo -cudart shared -arch=sm_90 "$source_dir/tests/scripts/programs/devices.cu" -o devices -lcuda || fail 'devices.cu: not built'
answers="$source_dir/tests/hardware/data/h200_devices.txt"

for code in machine ptx; do
  run "$warplens" run --width 200 --devices 2 --code $code --json two.json ./devices fault
  expect_code 0
  diff "$answers" stdout || fail "two H200 answer otherwise ($code)"
  expect_in stderr 'chose device [0-9]+, which is not there' # and what gives it one
  expect_in stderr 'is in memory of device 1, which device 0 may not access'
  expect_in stderr 'cudaDeviceEnablePeerAccess.1, 0. on device 0'
  follows_schema two.json
  expect_json two.json '[(d["device"], d["launches"]) for d in r["devices"]]' '[(0, 5), (1, 2)]'
done

# One is the default, and CUDA_VISIBLE_DEVICES then says nothing; with the option it chooses.
devices_seen() { run "$warplens" run --report /dev/null "$@" ./devices && sed -n 1,2p stdout; }
[ "$(CUDA_VISIBLE_DEVICES=3 devices_seen)" = "$(printf 'cudaGetDeviceCount(&n): 0\ndevices: 1')" ] || fail 'one device is the default'
for case in '1,0,9|0 2' '1,-1,0|0 1' '|100 0' '0,0|101 0' 'GPU-1234,GPU-5678|0 2'; do
  seen=$(CUDA_VISIBLE_DEVICES=${case%|*} devices_seen --devices 2 | sed 's/.*: //' | tr '\n' ' ')
  [ "$seen" = "${case#*|} " ] || fail "CUDA_VISIBLE_DEVICES=${case%|*}: $seen"
done
run "$warplens" run --devices 0 ./devices
expect_code 2

# A grid that waits for one on another device waits for ever, since launches run one after the other: that is said.
cat >together.cu <<'CU'
__global__ void meet(volatile int* here, volatile int* there) {
  *here = 1;
  while (*there == 0) {}
}
int main() {
  int* flags;
  cudaHostAlloc(&flags, 8, cudaHostAllocPortable);
  flags[0] = flags[1] = 0;
  for (int device = 0; device < 2; ++device) cudaSetDevice(device), meet<<<1, 1>>>(flags + device, flags + 1 - device);
  return cudaDeviceSynchronize() != cudaSuccess;
}
CU
"$nvcc" -lineinfo -cudart shared -arch=sm_90 together.cu -o together || fail 'together.cu: not built'
run "$warplens" run --width 200 --devices 2 ./together
expect_code 1
expect_in stderr 'together.cu:3'
expect_in stderr 'never ends'

# Memory and events of one process in another.
"$nvcc" -O3 -w -lineinfo -cudart shared -arch=sm_90 "$source_dir/tests/scripts/programs/ipc.cu" -o ipc || fail 'ipc.cu: not built'
for proofs in never always; do
  run "$warplens" run --proofs $proofs --json ipc.json ./ipc
  expect_code 0
  diff "$source_dir/tests/hardware/data/h200_ipc.txt" stdout || fail "an H200 answers otherwise (--proofs $proofs)"
  expect_json ipc.json 'sum(o["count"] for l in r["launches"] for o in l.get("occurrences", [{"count": 1}]))' 3
done
# A handle of memory that was freed: its file's number is another's by now, an ordinary file's of that size or another allocation's.
cat >stale.cu <<'CU'
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int count, char**) {
  constexpr size_t bytes = 2 << 20;
  int down[2];
  pipe(down);
  cudaIpcMemHandle_t handle, other;
  if (fork() == 0) {
    char* opened;
    read(down[0], &handle, sizeof handle);
    const cudaError_t error = cudaIpcOpenMemHandle((void**)&opened, handle, 1);
    if (error == cudaSuccess) cudaMemset(opened, '!', bytes);
    return printf("%s\n", cudaGetErrorName(error)), 0;
  }
  char *mine, *next, first = 0;
  cudaMalloc(&mine, bytes), cudaMalloc(&next, bytes), cudaMemset(next, 'n', bytes);
  struct stat was, is;
  cudaIpcGetMemHandle(&handle, mine);
  int file = 2;
  char name[99] = {};
  while (!strstr(name, "shared-device-memory")) readlink(("/proc/self/fd/" + std::to_string(++file)).c_str(), name, 98);
  fstat(file, &was);
  cudaFree(mine);
  const int now = count > 1 ? (cudaIpcGetMemHandle(&other, next), file) : open("victim", O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (count == 1) ftruncate(now, was.st_size);
  if (fstat(file, &is) != 0 || is.st_size != was.st_size || now != file) return puts("not that number"), 1;
  write(down[1], &handle, sizeof handle);
  wait(nullptr);
  count > 1 ? cudaMemcpy(&first, next, 1, cudaMemcpyDefault) : pread(now, &first, 1, 0);
  printf("%d\n", first == '!');
}
CU
"$nvcc" -w -cudart shared -arch=sm_90 stale.cu -o stale || fail 'stale.cu: not built'
for words in '' memory; do
  # shellcheck disable=SC2086
  run "$warplens" run ./stale $words
  [ "$(cat stdout)" = "$(printf 'cudaErrorMapBufferObjectFailed\n0')" ] || fail "a stale handle ($words): $(cat stdout)"
done

# A kernel may wait for one of another process, which comes late.
cat >meet.cu <<'CU'
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
__global__ void meet(volatile int* here, volatile int* there) {
  *here = 1;
  while (*there == 0) {}
}
struct Shared {
  cudaIpcMemHandle_t handle;
  volatile int made, opened;
};
int main() {
  auto* shared = (Shared*)mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  const bool late = fork() == 0;
  int *flags, status = 0;
  if (late) {
    while (!shared->made) usleep(1000);
    if (cudaIpcOpenMemHandle((void**)&flags, shared->handle, 1)) return 1;
    shared->opened = 1, sleep(3);
  } else {
    cudaMalloc(&flags, 8), cudaMemset(flags, 0, 8), cudaIpcGetMemHandle(&shared->handle, flags), shared->made = 1;
    while (!shared->opened) usleep(1000);
  }
  meet<<<1, 1>>>(flags + late, flags + !late);
  const bool failed = cudaDeviceSynchronize() != cudaSuccess;
  if (!late) wait(&status);
  return failed || status != 0;
}
CU
"$nvcc" -cudart shared -arch=sm_90 meet.cu -o meet || fail 'meet.cu: not built'
run "$warplens" run ./meet
expect_code 0
expect_not_in stderr 'never ends'

# NCCL: the same calls with one thread for all ranks, and with a process for each. A rank that has gone is told of.
"$nvcc" -O2 -std=c++17 -w -lineinfo -cudart shared -arch=sm_90 "$source_dir/tests/scripts/programs/nccl.cu" -Xlinker "${WARPLENS_BUILD_DIR:?}/lib/libraries/libnccl.so.2" -Xlinker -rpath-link="$WARPLENS_BUILD_DIR/lib" -o nccl ||
  fail 'nccl.cu: not built'
for ranks in 2 3 5; do
  run "$warplens" run --width 200 --devices $ranks --json nccl.json ./nccl threads $ranks hostile
  expect_code 0
  printf '%s\n' "$ranks ranks, 0 wrong" '4 5' '1 1' '1 1 4 4' | diff - stdout || fail "NCCL, $ranks ranks in one process"
  expect_in stderr 'ncclAllReduce: .* not counted'
  expect_in stderr 'cudaSetDevice.0. before'
  run "$warplens" run ./nccl processes $ranks
  expect_code 0
  printf '%s\n' "$ranks ranks, 0 wrong" | diff - stdout || fail "NCCL, $ranks processes"
done
# Processes of several machines: each on one of its own, and two on each.
for words in '2 2' '4 4' '4 2'; do
  # shellcheck disable=SC2086 # two words
  run "$warplens" run ./nccl processes $words
  expect_code 0
  printf '%s\n' "${words% *} ranks, 0 wrong" | diff - stdout || fail "NCCL, processes and machines: $words"
done
run "$warplens" run --width 200 ./nccl threads 2
expect_code 9
expect_in stdout 'ncclCommInitAll.*: 5 invalid usage'
expect_in stderr 'devices 2 makes it'
for words in 'leaves 2' 'leaves 2 2' 'leaves 2 2 0'; do
  run "$warplens" run --width 200 ./nccl $words
  expect_code 0
  expect_in stdout '6 another rank has ended'
  [ "$words" = 'leaves 2 2 0' ] && expect_in stderr 'lost the connection' || expect_in stderr 'rank 1 of 2 has ended'
done
run python3 "$source_dir/tests/scripts/strangers.py"
[ "$(cat stdout)" = ok ] || fail "NCCL's port: $(cat stderr)"

# A fault is of all devices, until one of them is reset.
cat >sticky.cu <<'CU'
#include <cstdio>
__global__ void write(int* out) { *out = 1; }
int main() {
  int *one, *other, answers[12] = {}, n = 0;
  cudaSetDevice(1), cudaMalloc(&other, 4), write<<<1, 1>>>(other), cudaDeviceSynchronize();
  cudaSetDevice(0), cudaMalloc(&one, 4);
  write<<<1, 2000>>>(one); // an error of the call alone
  answers[n++] = cudaPeekAtLastError(), answers[n++] = cudaGetLastError(), answers[n++] = cudaGetLastError();
  write<<<1, 1>>>(nullptr);
  answers[n++] = cudaDeviceSynchronize(), answers[n++] = cudaGetLastError(), answers[n++] = cudaGetLastError();
  answers[n++] = cudaMalloc(&one, 4), answers[n++] = cudaSetDevice(1);
  cudaDeviceReset(), cudaGetLastError();
  for (int device = 1; device >= 0; --device) {
    cudaSetDevice(device), cudaMalloc(&one, 4), write<<<1, 1>>>(one);
    answers[n++] = cudaDeviceSynchronize(), answers[n++] = cudaMemset(one, 0, 4);
  }
  for (int answer : answers) std::printf("%d ", answer);
}
CU
"$nvcc" -cudart shared -arch=sm_90 sticky.cu -o sticky || fail 'sticky.cu: not built'
run "$warplens" run --devices 2 ./sticky
[ "$(cat stdout)" = '1 1 0 700 700 700 700 700 0 0 0 0 ' ] || fail "after a fault: $(cat stdout)"

# Memory that is handed to other processes as a file descriptor.
"$nvcc" -w -cudart shared -arch=sm_90 "$source_dir/tests/scripts/programs/shareable.cu" -DAS_FILES_OF_ONES_OWN -o shareable -lcuda || fail 'shareable.cu: not built'
for devices in 1 2; do
  for proofs in never always; do
    run "$warplens" run --devices $devices --proofs $proofs ./shareable
    expect_code 0
    [ "$(cat stdout)" = '0 wrong' ] || fail "shareable handles, $devices devices, --proofs $proofs: $(cat stdout)"
  done
done

# A device that is reset takes its memory with it, and not the managed variables of code that another goes on to use.
cat >reset.cu <<'CU'
#include <cstdio>
__managed__ int sum = 1;
__device__ int own = 5;
__global__ void add(int* out) { *out = atomicAdd(&sum, own); }
int main() {
  int* out;
  cudaSetDevice(0), cudaMallocManaged(&out, 4);
  cudaSetDevice(1), add<<<1, 1>>>(out), cudaDeviceSynchronize(), cudaDeviceReset();
  cudaSetDevice(0), add<<<1, 1>>>(out);
  const int error = cudaDeviceSynchronize();
  std::printf("%d %d %d\n", error, *out, sum);
}
CU
"$nvcc" -lineinfo -cudart shared -arch=sm_90 reset.cu -o reset || fail 'reset.cu: not built'
run "$warplens" run --devices 2 ./reset
expect_code 0
printf '%s\n' '0 6 11' | diff - stdout || fail 'managed variables after a reset'
