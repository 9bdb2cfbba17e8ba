// Functions of CUDA's libraries that have no stand-in: each returns its library's "not supported" and is named in the
// report.
#include "libraries/call.h"

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

#define IMPLEMENTED(name)
#define STUB(name)                                                                                           \
  int name() { return gap(#name, 15); } // CUBLAS_STATUS_NOT_SUPPORTED
#include "libraries/cublas.def"
#undef IMPLEMENTED
#undef STUB

#define IMPLEMENTED(name)
#define STUB(name)                                                                                           \
  int name() { return gap(#name, 16); } // CUFFT_NOT_SUPPORTED
#include "libraries/cufft.def"
#undef IMPLEMENTED
#undef STUB

#define IMPLEMENTED(name)
#define STUB(name)                                                                                           \
  int name() { return gap(#name, 999); } // CURAND_STATUS_INTERNAL_ERROR: there is none for it
#include "libraries/curand.def"
#undef IMPLEMENTED
#undef STUB

#define IMPLEMENTED(name)
#define STUB(name)                                                                                           \
  int name() { return gap(#name, 10); } // CUSPARSE_STATUS_NOT_SUPPORTED
#include "libraries/cusparse.def"
#undef IMPLEMENTED
#undef STUB

#define IMPLEMENTED(name)
#define STUB(name)                                                                                           \
  int name() { return gap(#name, 15); } // CUBLAS_STATUS_NOT_SUPPORTED
#include "libraries/cublaslt.def"
#undef IMPLEMENTED
#undef STUB

#define IMPLEMENTED(name)
#define STUB(name)                                                                                           \
  int name() { return gap(#name, 9); } // CUSOLVER_STATUS_NOT_SUPPORTED
#include "libraries/cusolver.def"
#undef IMPLEMENTED
#undef STUB

#define IMPLEMENTED(name)
#define STUB(name)                                                                                           \
  int name() { return gap(#name, 5); } // ncclInvalidUsage
#include "libraries/nccl.def"
#undef IMPLEMENTED
#undef STUB

} // extern "C"
} // namespace warplens::runtime
