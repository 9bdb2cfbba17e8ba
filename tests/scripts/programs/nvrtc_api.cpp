// Asks a libnvrtc.so, whosever it is, what programs ask, in the order of CuPy's and PyTorch's: prints what must be the same of
// NVIDIA's and of WarpLens's.
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <vector>

using Program = void*;
static void* library;
template <class F> F function(const char* name) {
  auto found = reinterpret_cast<F>(dlsym(library, name));
  if (!found) std::printf("%s is missing\n", name);
  return found;
}
static int (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*);
static int (*destroy)(Program*);
static int (*compile)(Program, int, const char* const*);
static int (*name_expression)(Program, const char*);
static int (*lowered)(Program, const char*, const char**);
static int (*size_of[3])(Program, std::size_t*);
static int (*get[3])(Program, char*);
static const char* (*error_string)(int);
enum What { ptx, cubin, said };

static std::string text(Program program, What what) {
  std::size_t size = 0;
  if (int error = size_of[what](program, &size)) return "error " + std::to_string(error);
  std::string out(size, '\0');
  if (size)
    if (int error = get[what](program, out.data())) return "error " + std::to_string(error);
  return out;
}
static bool has(const std::string& text, const char* piece) { return text.find(piece) != text.npos; }

int main(int, char** arguments) {
  library = dlopen(arguments[1], RTLD_NOW);
  if (!library) return std::puts(dlerror()), 1;
  create = function<decltype(create)>("nvrtcCreateProgram");
  destroy = function<decltype(destroy)>("nvrtcDestroyProgram");
  compile = function<decltype(compile)>("nvrtcCompileProgram");
  name_expression = function<decltype(name_expression)>("nvrtcAddNameExpression");
  lowered = function<decltype(lowered)>("nvrtcGetLoweredName");
  error_string = function<decltype(error_string)>("nvrtcGetErrorString");
  const char* kinds[] = {"PTX", "CUBIN", "ProgramLog"};
  for (int i = 0; i < 3; ++i) {
    size_of[i] =
        function<int (*)(Program, std::size_t*)>(("nvrtcGet" + std::string(kinds[i]) + "Size").c_str());
    get[i] = function<int (*)(Program, char*)>(("nvrtcGet" + std::string(kinds[i])).c_str());
  }
  int major = 0, minor = 0, count = 0;
  std::printf("version %d", function<int (*)(int*, int*)>("nvrtcVersion")(&major, &minor));
  std::printf(" %d\n", major);
  function<int (*)(int*)>("nvrtcGetNumSupportedArchs")(&count);
  std::vector<int> archs(count);
  function<int (*)(int*)>("nvrtcGetSupportedArchs")(archs.data());
  bool rising = count > 5, has_90 = false;
  for (int i = 0; i < count; ++i)
    rising = rising && (i == 0 || archs[i] > archs[i - 1]), has_90 = has_90 || archs[i] == 90;
  std::printf("archs %d %d\n", rising, has_90);
  for (int i = -1; i < 18; ++i) std::printf("%d %s\n", i, error_string(i));

  Program program = nullptr;
  const char* source = "#include \"scale.h\"\n#include <deep/one.h>\n"
                       "namespace n { __constant__ int shift = 3; __device__ int counter;\n"
                       "template <int k, class T> __global__ void mul(T* p, int n) { int i = blockIdx.x * "
                       "blockDim.x + threadIdx.x;\n"
                       "  if (i < n) p[i] = SCALE * k + ONE + shift; } }\n"
                       "extern \"C\" __global__ void plain(int* p) { p[threadIdx.x] = FACTOR; }\n"
                       "#ifndef __CUDACC_RTC__\n#error not RTC\n#endif\n";
  const char* headers[] = {"#define SCALE 2\n", "#define ONE 1\n"};
  const char* names[] = {"scale.h", "deep/one.h"};
  std::printf("create %d\n", create(&program, source, "mul.cu", 2, headers, names));
  const char* low = nullptr;
  std::printf("lowered before %d\n", lowered(program, "plain", &low));
  std::printf("ptx before %s\n", text(program, ptx).c_str());
  std::printf("names %d %d %d\n", name_expression(program, "n::mul<3, float>"),
              name_expression(program, "&n::shift"), name_expression(program, "& n::counter"));
  const char* options[] = {"--gpu-architecture=compute_90",
                           "-DFACTOR=4",
                           "--std=c++17",
                           "-default-device",
                           "--fmad=true",
                           "-I/nowhere",
                           "--use_fast_math",
                           "-lineinfo"};
  std::printf("compile %d\n", compile(program, 8, options));
  if (text(program, said).size() > 1) std::puts(text(program, said).c_str());
  for (const char* name : {"n::mul<3, float>", "&n::shift", "& n::counter"}) {
    low = "none";
    int error = lowered(program, name, &low);
    std::printf("lowered %d %s %d\n", error, low, has(text(program, ptx), low));
  }
  std::printf("unknown name %d\n", lowered(program, "n::mul<4, float>", &low));
  std::printf("late name %d\n", name_expression(program, "plain"));
  std::string out = text(program, ptx);
  std::printf("ptx ends %d, target %d, entry %d, lines %d\n", !out.empty() && out.back() == '\0',
              has(out, ".target sm_90"), has(out, ".entry plain("), has(out, "mul.cu\""));
  std::printf("leftovers %d\n", has(out, "warplens"));
  std::size_t size = 77;
  std::printf("cubin size %d", size_of[cubin](program, &size));
  std::printf(" %zu\n", size);
  std::printf("destroy %d %d\n", destroy(&program), program == nullptr);

  create(&program, "extern \"C\" __global__ void k(float* p) { p[threadIdx.x] = 1; }", nullptr, 0, nullptr,
         nullptr);
  const char* machine[] = {"-arch=sm_90"};
  std::printf("machine code %d\n", compile(program, 1, machine));
  out = text(program, cubin);
  std::printf("cubin %d, ptx %d\n",
              out.size() > 4 && out.compare(0, 4,
                                            "\x7f"
                                            "ELF") == 0,
              has(text(program, ptx), ".entry k("));
  destroy(&program);

  create(&program, "__global__ void k(float* p) {\n  p[0] = nothing;\n}\n", "bad.cu", 0, nullptr, nullptr);
  std::printf("bad source %d", compile(program, 0, nullptr));
  out = text(program, said);
  std::printf(" log names it %d, its file %d\n", has(out, "nothing"), has(out, "bad.cu"));
  std::printf("ptx of it %s\n", text(program, ptx).c_str());
  destroy(&program);
  const char* nonsense[][1] = {{"--no-such-option"}, {"-arch=sm_1"}, {"-arch=foo"},
                               {"file.cu"},          {"-std=c++99"}, {"--fmad=perhaps"},
                               {"-rdc=true"},        {"-G"},         {"-w"}};
  for (auto& option : nonsense) {
    create(&program, "__global__ void k(float* p) { p[0] = 1; }", "ok.cu", 0, nullptr, nullptr);
    int error = compile(program, 1, option);
    std::printf("%s: %d", option[0], error);
    std::printf(" log %d\n", text(program, said).size() > 1);
    destroy(&program);
  }
  create(&program, "template <class T> __global__ void k(T* p) { p[0] = 1; }", "ok.cu", 0, nullptr, nullptr);
  name_expression(program, "k<int>");
  name_expression(program, "absent<int>");
  std::printf("bad name %d\n", compile(program, 0, nullptr));
  std::printf("null %d %d %d\n", create(nullptr, "", "", 0, nullptr, nullptr), compile(nullptr, 0, nullptr),
              destroy(nullptr));
  Program none = nullptr;
  std::printf("null program %d %d\n", destroy(&none), size_of[ptx](nullptr, &size));
}
