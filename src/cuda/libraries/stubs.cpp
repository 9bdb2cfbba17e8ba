// Functions of CUDA's libraries that have no stand-in: each returns its library's "not supported" and is named in the
// report.
#include "libraries/library_call.h"

namespace warplens::runtime {

static int gap(const char* function, int status) {
  library_gap(function);
  return status;
}

extern "C" {

// cuDNN has no stand-in, and its own search for a kernel fails without saying why.
int cudnnCreate() {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  runtime.say(diag::warning("library-missing", "cuDNN is not run: what needs it returns an error", {},
                            "PyTorch runs its own kernels with torch.backends.cudnn.enabled = False and "
                            "torch.backends.cuda.enable_cudnn_sdp(False)"));
  constexpr int not_initialized = 1001; // CUDNN_STATUS_NOT_INITIALIZED
  return not_initialized;
}

#define STATUS 15 // CUBLAS_STATUS_NOT_SUPPORTED
#define FUNCTIONS "libraries/cublas.def"
#include "libraries/stubs_of.inc"

#define STATUS 16 // CUFFT_NOT_SUPPORTED
#define FUNCTIONS "libraries/cufft.def"
#include "libraries/stubs_of.inc"

#define STATUS 999 // CURAND_STATUS_INTERNAL_ERROR: there is none for it
#define FUNCTIONS "libraries/curand.def"
#include "libraries/stubs_of.inc"

#define STATUS 10 // CUSPARSE_STATUS_NOT_SUPPORTED
#define FUNCTIONS "libraries/cusparse.def"
#include "libraries/stubs_of.inc"

#define STATUS 15 // CUBLAS_STATUS_NOT_SUPPORTED
#define FUNCTIONS "libraries/cublaslt.def"
#include "libraries/stubs_of.inc"

#define STATUS 9 // CUSOLVER_STATUS_NOT_SUPPORTED
#define FUNCTIONS "libraries/cusolver.def"
#include "libraries/stubs_of.inc"

#define STATUS 5 // ncclInvalidUsage
#define FUNCTIONS "libraries/nccl.def"
#include "libraries/stubs_of.inc"

} // extern "C"
} // namespace warplens::runtime
