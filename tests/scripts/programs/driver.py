"""What Python's packages do with libcuda.so.1, through ctypes: look functions up, take the primary context, load PTX, launch."""
import ctypes
import struct
import sys

cuda = ctypes.CDLL("libcuda.so.1")
u64, c_int, byref = ctypes.c_uint64, ctypes.c_int, ctypes.byref


def call(name, *arguments):
    function, status = ctypes.c_void_p(), c_int(-1)
    error = cuda.cuGetProcAddress_v2(name.encode(), byref(function), 12080, u64(0), byref(status))
    assert error == 0 and status.value == 0, (name, error, status)
    error = ctypes.CFUNCTYPE(c_int)(function.value)(*arguments)
    assert error == 0, (name, error)


# What Triton, PyTorch and CuPy were seen to ask for when they start.
ASKED_FOR = """cuInit cuDriverGetVersion cuDeviceGet cuDeviceGetAttribute cuDevicePrimaryCtxGetState cuDevicePrimaryCtxRetain
cuDevicePrimaryCtxRelease cuDevicePrimaryCtxReset cuCtxGetCurrent cuCtxSetCurrent cuCtxPushCurrent cuCtxPopCurrent cuCtxGetDevice
cuCtxGetLimit cuCtxSetLimit cuCtxCreate cuCtxDestroy cuModuleLoad cuModuleLoadData cuModuleLoadDataEx cuModuleLoadFatBinary
cuModuleGetFunction cuModuleGetGlobal cuModuleUnload cuFuncGetAttribute cuFuncSetAttribute cuFuncSetCacheConfig cuLaunchKernel
cuLaunchKernelEx cuLaunchCooperativeKernel cuMemcpyDtoH cuStreamSynchronize cuStreamGetCtx cuPointerGetAttribute
cuOccupancyMaxActiveBlocksPerMultiprocessor cuOccupancyMaxPotentialBlockSize cuLinkCreate cuLinkAddData cuLinkAddFile
cuLinkComplete cuLinkDestroy cuGetErrorName cuGetErrorString cuTensorMapEncodeTiled cuGetExportTable cuGetProcAddress"""
for wanted in ASKED_FOR.split():
    found = ctypes.c_void_p()
    assert cuda.cuGetProcAddress_v2(wanted.encode(), byref(found), 12080, u64(0), None) == 0 and found.value, wanted
missing = ctypes.c_void_p(1)
assert cuda.cuGetProcAddress_v2(b"cuNoSuchFunction", byref(missing), 13000, u64(0), None) == 0
assert not missing.value
count, value = c_int(), c_int()
assert cuda.cuDeviceGetCount(byref(count)) == 3  # before cuInit
call("cuInit", 0)
call("cuDriverGetVersion", byref(value))
call("cuDeviceGetCount", byref(count))
call("cuDeviceGetAttribute", byref(value), 75, 0)  # compute capability, major
print("devices", count.value, "capability", value.value)
context, module, function = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
call("cuDevicePrimaryCtxRetain", byref(context), 0)
call("cuCtxSetCurrent", context)
code = open(sys.argv[1], "rb").read()
call("cuModuleLoadData", byref(module), code + b"\0")
call("cuModuleGetFunction", byref(function), module, b"add")
call("cuFuncGetAttribute", byref(value), 4, function)
n = 1000
buffers = []
for fill in (1, 2, None):
    address = u64()
    call("cuMemAlloc", byref(address), ctypes.c_size_t(4096))
    if fill is not None:
        call("cuMemcpyHtoD", address, struct.pack("<1024f", *([float(fill)] * 1024)), ctypes.c_size_t(4096))
    buffers.append(address)
values = buffers + [c_int(n), u64(0), u64(0)]
arguments = (ctypes.c_void_p * 6)(*[ctypes.cast(ctypes.pointer(v), ctypes.c_void_p) for v in values])
stream = ctypes.c_void_p()
call("cuStreamCreate", byref(stream), 1)
call("cuLaunchKernel", function, 8, 1, 1, 128, 1, 1, 0, stream, arguments, None)
for threads in (64, 256):  # the kernel has .reqntid 128
    assert cuda.cuLaunchKernel(function, 8, 1, 1, threads, 1, 1, 0, stream, arguments, None) == 1, threads
call("cuStreamSynchronize", stream)
out = ctypes.create_string_buffer(4096)
call("cuMemcpyDtoH", out, buffers[2], ctypes.c_size_t(4096))
assert struct.unpack("<1024f", out.raw) == (3.0,) * n + (0.0,) * (1024 - n)
for address in buffers:
    call("cuMemFree", address)
call("cuModuleUnload", module)
print("sums are right")
