# The program is left alone: CUDA works after main(), in destructors and in forked children; its heap is its own; so are its
# preloaded libraries and its sanitizers; and what WarpLens is kept out of is said to be missing.
. "$(dirname "$0")/common.sh"
programs="$source_dir/tests/scripts/programs"
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)

# expect_lines MODE CODE LAUNCHES LINE…: what alone.cu prints, where each line of a launch follows one of its kernel's.
launches_of() { expect_json report.json '[sum(k["launches"] for k in r["kernels"]), r["complete"]]' "$1"; }
expect_mode() { # CODE LAUNCHES LINE…; the mode is $mode, the program "$@" of $start
  expected_code=$1 expected_launches=$2
  shift 2
  run $start "$mode"
  [ "$code" = "$expected_code" ] || fail "$mode: exit code $code, expected $expected_code"
  for line in "$@"; do printf 'kernel 7\n%s: 32 no error\n' "$line"; done >wanted
  cmp -s wanted stdout || fail "$mode: not as expected: $(diff wanted stdout)"
  launches_of "[$expected_launches, True]"
}
modes() {
  mode=atexit && expect_mode 0 4 main atexit
  mode=late && expect_mode 0 4 main late
  mode=quick && expect_mode 3 4 main at_quick_exit
  mode=thread && expect_mode 0 6 thread thread_local main
  mode=key && expect_mode 0 6 thread key main
  mode=fork && expect_mode 0 4 main child
}
start="$warplens run --compiler clang --json report.json $programs/alone.cu" && modes
# Code from clang takes its kernels back before static objects of the same file are destroyed, code from nvcc after that.
if [ -x "$nvcc" ]; then
  for runtime in static shared; do
    "$nvcc" -arch=sm_90 -lineinfo -cudart $runtime -o alone "$programs/alone.cu" 2>/dev/null
    start="$warplens run --json report.json ./alone" && modes
    mode=static && expect_mode 0 4 main destructor
    mode=only && expect_mode 0 2 'without any before'
    mode=fork-static && expect_mode 0 6 main child 'destructor of the child'
  done
fi

# A launch that a signal handler leaves by siglongjmp() is not told of as counted; later ones work.
run "$warplens" run --compiler clang --json report.json "$programs/alone.cu" jump
expect_code 0
[ "$(cat stdout)" = "$(printf 'jumped 3 times\nkernel 7\nmain: 32 no error')" ] || fail "jump: '$(cat stdout)'"
expect_json report.json 'r["complete"]' False

# None of WarpLens's memory is the program's. With more workers than one, pthread_create() asks for each new thread's table.
cat >watch.c <<'C'
#include <stddef.h>
#include <stdio.h>
void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void*, size_t);
void __libc_free(void*);
static int watching, calls[4];
void* malloc(size_t size) { return calls[0] += watching, __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return calls[1] += watching, __libc_calloc(count, size); }
void* realloc(void* old, size_t size) { return calls[2] += watching, __libc_realloc(old, size); }
void free(void* old) { calls[3] += watching, __libc_free(old); }
const char* watch_heap(int on) {
  static char text[100];
  watching = on;
  sprintf(text, "malloc %d calloc %d realloc %d free %d", calls[0], calls[1], calls[2], calls[3]);
  return text;
}
C
cc -O1 -fno-builtin -shared -fPIC -o watch.so watch.c
for watcher in "$scratch/watch.so" ''; do
  LD_PRELOAD=$watcher run "$warplens" run --compiler clang --workers 1 "$programs/heap.cu"
  expect_code 0
  expect_in stdout '^(malloc 0 calloc 0 realloc 0 free 0|not watched), next block behind the last$'
  expect_in stdout '^0 of [0-9]+ fresh bytes are not zero$'
done
LD_PRELOAD=$scratch/watch.so run "$warplens" run --compiler clang --workers 4 "$programs/heap.cu"
expect_in stdout '^malloc 0 calloc [0-3] realloc 0 free 0,'

# A library that the user preloads stays in front, and the program's own children have it, too.
cat >first.c <<'C'
#define _GNU_SOURCE
#include <link.h>
#include <stdio.h>
#include <string.h>
static int number;
static int look(struct dl_phdr_info* info, size_t size, void* data) {
  if (strstr(info->dlpi_name, ".so") && strstr(info->dlpi_name, "vdso") == 0 && number++ == 0) printf("%s\n", strrchr(info->dlpi_name, '/'));
  return 0;
}
__attribute__((constructor)) static void start(void) { dl_iterate_phdr(look, 0), fflush(stdout); }
C
cc -shared -fPIC first.c -o first.so
cat >parent.c <<'C'
#include <stdlib.h>
int main(int count, char** arguments) { return count > 1 ? 0 : system("./parent again"); }
C
cc parent.c -o parent
LD_PRELOAD="$scratch/first.so" run "$warplens" run ./parent
[ "$(sort -u stdout)" = /first.so ] || fail "preloaded by the user: '$(cat stdout)'"
[ "$(wc -l <stdout)" -ge 3 ] || fail "the children lost it: '$(cat stdout)'" # the program, the shell, its child

# Programs that are built with sanitizers.
cat >overflow.c <<'C'
#include <stdlib.h>
#include <string.h>
int main(int count, char** arguments) {
  char* block = malloc(10);
  memset(block, count, 10);
  int sum = block[count == 1 ? 0 : 10];
  free(block);
  return sum == 1 ? 0 : 1;
}
C
for compiler in cc clang; do for sanitizer in address leak undefined thread memory; do
  $compiler -g -fsanitize=$sanitizer overflow.c -o sanitized 2>/dev/null || continue # clang's are a package of their own
  run "$warplens" run ./sanitized
  expect_code 0
  expect_not_in stderr 'ASan|Sanitizer'
  [ $sanitizer = address ] || continue
  run "$warplens" run ./sanitized word
  expect_in stderr 'AddressSanitizer: heap-buffer-overflow'
  ASAN_OPTIONS=exitcode=77 run "$warplens" run ./sanitized word
  expect_code 77
done; done
if [ -x "$nvcc" ] && "$nvcc" -arch=sm_90 -Xcompiler -fsanitize=address -o sanitized "$programs/alone.cu" 2>/dev/null; then
  start="$warplens run --json report.json ./sanitized" mode=static && expect_mode 0 4 main destructor
  expect_not_in stderr 'Sanitizer'
fi

# Programs with CUDA that WarpLens is kept out of: this one only looks like one.
cat >cuda.c <<'C'
#include <unistd.h>
__asm__(".section .nv_fatbin, \"a\"\n.long 0\n.text");
int main(void) { return 0; }
C
cat >start.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int count, char** arguments) {
  char* none[] = {0};
  char* words[] = {arguments[2], 0};
  const char* how = arguments[1];
  pid_t child = 0;
  if (!strcmp(how, "spawn")) {
    posix_spawn(&child, arguments[2], 0, 0, words, none);
    return waitpid(child, 0, 0) != child;
  }
  if (!strcmp(how, "system")) return unsetenv("LD_PRELOAD"), system(arguments[2]);
  if ((child = !strcmp(how, "vfork") ? vfork() : fork()) == 0) {
    if (!strcmp(how, "user")) setuid(65534);
    if (!strcmp(how, "daemon") && fork() != 0) _exit(0);
    if (!strcmp(how, "plain")) execv(arguments[2], words);
    execve(arguments[2], words, strcmp(how, "user") ? none : environ);
    _exit(1);
  }
  waitpid(child, 0, 0);
  if (!strcmp(how, "daemon")) usleep(300000);
}
C
cc cuda.c -o cuda && cc start.c -o start
expect_seen() {
  run "$warplens" run --json report.json "$@"
  expect_not_in stderr 'ran without WarpLens'
  expect_json report.json 'r["missing"]["processes"]' 0
}
expect_unseen() { # WHY COMMAND…
  why=$1
  shift
  run "$warplens" run --strict --json report.json --markdown report.md --html report.html "$@"
  expect_code 1
  expect_in stderr 'a program with CUDA ran without WarpLens: its launches are missing'
  expect_in stderr "$why"
  expect_json report.json '[r["missing"]["processes"], r["complete"], [m["kind"] for m in r["messages"] if m["kind"] == "programs-unseen"]]' \
    "[1, False, ['programs-unseen']]"
}
expect_seen ./start plain ./cuda
expect_seen ./start fork /bin/true
expect_seen env -i /bin/true
expect_seen env -i /bin/cp ./cuda ./copy # which only names it
for how in fork vfork spawn system daemon; do expect_unseen 'with another environment' ./start $how ./cuda; done
expect_unseen 'with another environment' env -i ./cuda
expect_unseen 'with another environment' env -i sh -c './cuda 3'
expect_unseen 'with another environment' sh -c 'unset LD_PRELOAD; ./cuda'
printf '#!/bin/sh\nexec ./cuda "$@"\n' >script && chmod +x script
expect_seen ./script
expect_unseen 'with another environment' env -i ./script
expect_unseen 'with another environment' env -i sh ./script 3
cc -static cuda.c -o cuda_static
expect_unseen 'linked statically' ./start plain ./cuda_static
if [ "$(id -u)" = 0 ]; then
  chmod 755 "$scratch"
  expect_unseen 'by another user' ./start user ./cuda
  mkdir -p jail
  cp cuda_static jail/app # which needs nothing there
  expect_unseen 'below another root folder|linked statically' chroot jail /app
  cp cuda owned && chown 65534 owned && chmod u+s owned
  expect_unseen 'setuid, setgid' ./start plain ./owned
  cp cuda grouped && chgrp 65534 grouped && chmod g+s grouped
  expect_unseen 'setuid, setgid' ./start plain ./grouped
fi

# Where the ledger is out of reach, launches are counted all the same, and the report says what it may lack.
if [ -x "$nvcc" ] && unshare -p -f --mount-proc -U -r true 2>/dev/null; then
  run "$warplens" run --json report.json unshare -p -f --mount-proc -U -r ./alone late
  expect_code 0
  expect_in stderr "process 1 runs where WarpLens's ledger cannot be reached"
  expect_json report.json 'sum(k["launches"] for k in r["kernels"])' 4
fi
