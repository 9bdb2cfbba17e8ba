# The progress line on a terminal: drawn while a launch takes its time, and gone before the program writes again, behind
# what it wrote before, and also where the program is killed. It says what the program does between launches, and how long.
. "$(dirname "$0")/common.sh"
cat >busy.cu <<'CU'
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
__global__ void busy_kernel(double seconds) {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  while (now - begin < seconds * 1e9);
}
int main(int argc, char** argv) {
  if (argc > 1) alarm(4);
  printf("first line\n");
  busy_kernel<<<1, 32>>>(argc > 1 ? 60 : 3);
  cudaDeviceSynchronize();
  printf("second line\nthird ");
  fflush(stdout);
  busy_kernel<<<1, 32>>>(1);
  cudaDeviceSynchronize();
  printf("line\n");
}
CU
export TERM=xterm
run python3 "$source_dir/tests/scripts/terminal.py" "$warplens" run --compiler clang busy.cu
expect_code 0
expect_in stdout '^drawn$'
expect_in stdout '^first line$'
expect_in stdout '^second line$'
expect_in stdout '^third line$'
expect_not_in stdout 'warplens: '

run python3 "$source_dir/tests/scripts/terminal.py" "$warplens" run --compiler clang busy.cu killed
expect_code 142
expect_in stdout '^drawn$'
expect_in stdout 'killed by signal 14'
expect_not_in stdout 'warplens: '

# Before the first launch and after the last, where the program writes nothing.
cat >host.cu <<'CU'
#include <cstdio>
#include <time.h>
template <class T> __global__ void a_kernel_with_a_name_that_is_as_long_as_those_of_libraries_are(T* a) { a[threadIdx.x] = 1; }
static void compute(double seconds) {
  timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do clock_gettime(CLOCK_MONOTONIC, &now);
  while (now.tv_sec - begin.tv_sec + (now.tv_nsec - begin.tv_nsec) * 1e-9 < seconds);
}
int main() {
  float* a;
  compute(5);
  cudaMalloc(&a, 4096);
  a_kernel_with_a_name_that_is_as_long_as_those_of_libraries_are<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  compute(5);
  cudaDeviceSynchronize();
  printf("the end\n");
}
CU
run python3 "$source_dir/tests/scripts/terminal.py" --all "$warplens" run --compiler clang host.cu
expect_code 0
expect_in stdout "warplens: the program's own work, no launch yet, [0-9]+ s; Ctrl-C: report"
expect_in stdout "warplens: the program's own work after 1 launch, [0-9]+ s"
expect_in stdout '^the end$'

run python3 "$source_dir/tests/scripts/terminal.py" "$warplens" run --no-progress --compiler clang busy.cu
expect_in stdout '^not drawn$'
# Somewhere else than on a terminal there is none.
run "$warplens" run --compiler clang busy.cu
expect_not_in stderr 'warplens: launch'

# Where one of the streams is a file, it has its own text and nothing of the line, which is drawn on what is left of the terminal.
printf 'first line\nsecond line\nthird line\n' >wanted
run python3 "$source_dir/tests/scripts/terminal.py" sh -c "'$warplens' run --compiler clang busy.cu >of_program"
expect_in stdout '^drawn$'
expect_in stdout '^WarpLens: 1 kernel'
cmp -s of_program wanted || fail "the file of the program's output has something else: $(cat -v of_program)"
run python3 "$source_dir/tests/scripts/terminal.py" sh -c "'$warplens' run --compiler clang busy.cu 2>of_us"
expect_in stdout '^not drawn$'
expect_in of_us '^WarpLens: 1 kernel'
run python3 "$source_dir/tests/scripts/terminal.py" sh -c "'$warplens' run --compiler clang busy.cu >both 2>&1"
head -3 both | cmp -s - wanted || fail "the program's output is not first: $(cat -v both)"
for file in of_us both; do
  if grep -q "$(printf '[\033\r]')\|warplens: launch" "$file"; then fail "$file is garbled: $(cat -v "$file")"; fi
done
