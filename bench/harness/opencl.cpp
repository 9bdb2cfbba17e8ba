// An OpenCL implementation as one of the compared systems: PoCL, or Oclgrind when started by `oclgrind`. A
// host program as OpenCL users write them: default build options, buffers that the implementation allocates,
// an in-order queue. A launch takes from its first clEnqueueNDRangeKernel to the end of clFinish. The driver
// checks before it times, so that the compilation of a kernel (PoCL: at its first launch) is in no time.
//
//   compare_opencl KERNELS.cl PLATFORM   serves (system.h); PLATFORM: part of the platform's name
//   compare_opencl --platforms           prints the names of the platforms, one a line
#define CL_TARGET_OPENCL_VERSION 120
#include "harness/system.h"
#include <CL/cl.h>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

namespace warplens::bench {
namespace {

void check(cl_int status, const char* what) {
  if (status != CL_SUCCESS) fail(fmt::format("{}: OpenCL error {}", what, status));
}

std::string platform_text(cl_platform_id platform, cl_platform_info what) {
  char text[512] = {};
  check(clGetPlatformInfo(platform, what, sizeof text - 1, text, nullptr), "clGetPlatformInfo");
  return text;
}

std::vector<cl_platform_id> platforms() {
  cl_uint count = 0;
  if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS)
    return {}; // the loader's way to say that there is none
  std::vector<cl_platform_id> out(count);
  check(clGetPlatformIDs(count, out.data(), nullptr), "clGetPlatformIDs");
  return out;
}

class OpenCl : public System {
public:
  OpenCl(const std::string& source, cl_platform_id platform) : platform_(platform) {
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device_, nullptr), "clGetDeviceIDs");
    cl_int status = 0;
    context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status);
    check(status, "clCreateContext");
    queue_ = clCreateCommandQueue(context_, device_, 0, &status);
    check(status, "clCreateCommandQueue");
    const char* text = source.c_str();
    program_ = clCreateProgramWithSource(context_, 1, &text, nullptr, &status);
    check(status, "clCreateProgramWithSource");
    if (clBuildProgram(program_, 1, &device_, "", nullptr, nullptr) != CL_SUCCESS)
      fail("clBuildProgram: " + build_log());
  }

  ~OpenCl() override {
    release();
    clReleaseProgram(program_);
    clReleaseCommandQueue(queue_);
    clReleaseContext(context_);
  }

  std::string description() const override {
    char name[256] = {};
    cl_uint units = 0;
    clGetDeviceInfo(device_, CL_DEVICE_NAME, sizeof name - 1, name, nullptr);
    clGetDeviceInfo(device_, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, nullptr);
    return fmt::format("{}, {}, {} compute units", platform_text(platform_, CL_PLATFORM_VERSION), name,
                       units);
  }

  void load(const Case& c) override {
    release();
    cl_int status = 0;
    for (const Words& words : c.buffers) {
      buffers_.push_back(
          clCreateBuffer(context_, CL_MEM_READ_WRITE, words.size() * sizeof(u32), nullptr, &status));
      check(status, "clCreateBuffer");
      sizes_.push_back(words.size());
    }
    for (const bench::Step& step : c.steps) {
      cl_kernel kernel = clCreateKernel(program_, step.kernel.c_str(), &status);
      check(status, "clCreateKernel");
      for (cl_uint i = 0; i < step.arguments.size(); ++i) {
        const Argument& a = step.arguments[i];
        check(a.is_buffer ? clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers_[a.buffer])
                          : clSetKernelArg(kernel, i, sizeof a.word, &a.word),
              "clSetKernelArg");
      }
      steps_.push_back({kernel,
                        step.grid.y > 1 || step.block.y > 1 ? 2u : 1u,
                        {u64{step.grid.x} * step.block.x, u64{step.grid.y} * step.block.y},
                        {step.block.x, step.block.y}});
    }
    reset(c);
  }

  void reset(const Case& c) override {
    for (u64 i = 0; i < buffers_.size(); ++i)
      check(clEnqueueWriteBuffer(queue_, buffers_[i], CL_TRUE, 0, sizes_[i] * sizeof(u32),
                                 c.buffers[i].data(), 0, nullptr, nullptr),
            "clEnqueueWriteBuffer");
  }

  Launch launch(bool counting) override {
    if (counting) fail("this system does not count");
    double start = now();
    for (const Step& step : steps_)
      check(clEnqueueNDRangeKernel(queue_, step.kernel, step.dimensions, nullptr, step.global.data(),
                                   step.local.data(), 0, nullptr, nullptr),
            "clEnqueueNDRangeKernel");
    check(clFinish(queue_), "clFinish");
    return {now() - start};
  }

  Words read(u32 buffer) override {
    Words out(sizes_[buffer]);
    check(clEnqueueReadBuffer(queue_, buffers_[buffer], CL_TRUE, 0, out.size() * sizeof(u32), out.data(), 0,
                              nullptr, nullptr),
          "clEnqueueReadBuffer");
    return out;
  }

private:
  struct Step {
    cl_kernel kernel; // with its arguments
    cl_uint dimensions;
    std::array<size_t, 2> global, local;
  };
  std::string build_log() const {
    std::string log(16384, '\0');
    size_t size = 0;
    clGetProgramBuildInfo(program_, device_, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), &size);
    log.resize(std::min(size, log.size()));
    return log;
  }
  void release() {
    for (const Step& step : steps_) clReleaseKernel(step.kernel);
    for (cl_mem buffer : buffers_) clReleaseMemObject(buffer);
    steps_.clear(), buffers_.clear(), sizes_.clear();
  }

  cl_platform_id platform_;
  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
  std::vector<Step> steps_;
  std::vector<cl_mem> buffers_;
  std::vector<u64> sizes_;
};

int main(const std::vector<std::string>& arguments) {
  if (arguments.size() == 1 && arguments[0] == "--platforms") {
    for (cl_platform_id platform : platforms()) fmt::print("{}\n", platform_text(platform, CL_PLATFORM_NAME));
    return 0;
  }
  if (arguments.size() != 2) fail("expected: KERNELS.cl PLATFORM");
  std::ifstream file(arguments[0]);
  std::ostringstream source;
  source << file.rdbuf();
  if (!file) fail(fmt::format("cannot read '{}'", arguments[0]));
  for (cl_platform_id platform : platforms())
    if (platform_text(platform, CL_PLATFORM_NAME).find(arguments[1]) != std::string::npos) {
      OpenCl system(source.str(), platform);
      return serve(system);
    }
  fail(fmt::format("no OpenCL platform is called '{}'", arguments[1]));
}

} // namespace
} // namespace warplens::bench

int main(int argc, char** argv) { return warplens::bench::main({argv + 1, argv + argc}); }
