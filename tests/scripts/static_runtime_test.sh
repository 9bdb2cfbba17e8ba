# A program that contains the CUDA runtime gets the functions of the major that it contains: told by what only that
# major has, and seen by the version that it then reports. The "runtime" here is a few functions that say -1.
. "$(dirname "$0")/common.sh"
cat >static.c <<'C'
#include <stdio.h>
#define PART __attribute__((noinline, noclone, used))
static volatile int answer = -1; // read and written, so that each function is longer than the jump that replaces it
PART int __cudaRegisterFatBinary(void) { return answer = answer - answer * 2; }
PART int cudaRuntimeGetVersion(int* version) { return *version = answer, answer = answer * answer * -1; }
#ifdef MARK
PART int MARK(void) { return answer = answer - answer * 2; }
#endif
__asm__(".section .nv_fatbin, \"a\"\n.long 0\n.text");
int main(void) {
  int version = 0;
  int error = cudaRuntimeGetVersion(&version);
  printf("%d %d\n", error, version);
}
C
expect_version() { # VERSION COMPILER-OPTIONS…
  version=$1
  shift
  cc -O1 "$@" static.c -o static
  run "$warplens" run ./static
  expect_code 0
  [ "$(cat stdout)" = "0 $version" ] || fail "cc $*: '$(cat stdout)', expected the version $version"
}
expect_version 13000
expect_version 12090 -DMARK=cudaGetDeviceProperties_v2
expect_version 11080 -DMARK=cudaBindTexture -no-pie
strip static # nothing tells where its runtime is: that is said once, and is no success
run "$warplens" run --strict ./static
expect_code 1
expect_in stderr 'runtime linked into it and no symbol table'
expect_not_in stderr 'launched no CUDA kernel'

# The same in a library that the program opens while it runs: replaced before the library's start-up code calls it, and
# again after it was closed. So is a toolkit's libcudart, which a program opens by a name that is not the preloaded one's.
cat >library.c <<'C'
#include "static.c"
static int early;
__attribute__((constructor)) static void start(void) { cudaRuntimeGetVersion(&early); }
__attribute__((visibility("default"))) int seen(void) { return early; }
C
cat >open.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main(void) {
  for (int i = 0; i < 2; ++i) {
    void* library = dlopen("./library.so", RTLD_NOW);
    printf("%d\n", ((int (*)(void))dlsym(library, "seen"))());
    dlclose(library);
  }
  int version = 0;
  ((int (*)(int*))dlsym(dlopen("./libcudart.so", RTLD_NOW), "cudaRuntimeGetVersion"))(&version);
  printf("%d\n", version);
}
C
cc -O1 -fPIC -shared -fvisibility=hidden -Dmain=unused library.c -o library.so
cc -O1 -fPIC -shared -Wl,-soname,libcudart.so.12 -Dmain=unused static.c -o libcudart.so
cc open.c -o open -ldl
run "$warplens" run ./open
expect_code 0
[ "$(cat stdout)" = "$(printf '13000\n13000\n12090')" ] || fail "opened while it runs: '$(cat stdout)'"

# A library without kernels of its own that uses the runtime for memory, as Python's packages do: by its symbols, and without any.
# Each function of a runtime tells profilers its name, which is how it is found then. One function of the library's own mentions a
# name, too, and stays what it is.
python3 - "$source_dir/src/cuda/runtime/exports.def" <<'PY' >stripped.c
import re, sys
names = [n for n in re.findall(r"\b[A-Z]+\((cuda\w+)", open(sys.argv[1]).read())
         if n not in ("cudaGetDeviceProperties_v2", "cudaBindTexture")] # which only older majors have
assert "cudaRuntimeGetVersion" in names and "cudaGetDeviceCount" in names
print("#include <dlfcn.h>\nstatic const char* volatile traced;\nstatic volatile int answer = -1;")
print("#define PART __attribute__((noinline, noclone, used))")
for n in dict.fromkeys(names):
    print(f'PART int {n}(int* v) {{ traced = "{n}"; *v = answer; return answer = answer * answer * -1; }}')
print("PART int __cudaRegisterFatBinary(void) { return answer = answer - answer * 2; }")
print("""PART int report(int error) { traced = "cudaRuntimeGetVersion"; answer = error; return answer + 100; }
__attribute__((visibility("default"))) int seen(void) {
  int version = 0;
  void* find_driver = dlsym(RTLD_DEFAULT, "cuInit"); // as a runtime does
  return cudaRuntimeGetVersion(&version) || !find_driver ? -2 : version + report(0);
}""")
PY
cc -O1 -fPIC -shared -fvisibility=hidden stripped.c -o library.so -ldl
cat >open_stripped.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main(void) { printf("%d\n", ((int (*)(void))dlsym(dlopen("./library.so", RTLD_NOW), "seen"))()); }
C
cc open_stripped.c -o open_stripped -ldl
for stripped in no yes; do
  [ "$stripped" = no ] || strip library.so
  run "$warplens" run ./open_stripped
  expect_code 0
  [ "$(cat stdout)" = 13100 ] || fail "a runtime in a library without kernels (stripped: $stripped): '$(cat stdout)'"
done
