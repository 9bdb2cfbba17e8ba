"""Texture and surface references of a PTX module, bound by the driver API: an array, linear memory and a surface."""
import ctypes
import struct
import sys

cuda = ctypes.CDLL("libcuda.so.1")
u64, byref, pointer = ctypes.c_uint64, ctypes.byref, ctypes.c_void_p
FLOAT, UINT32, SURFACE = 0x20, 0x03, 2


def call(name, *arguments, want=0):
    error = getattr(cuda, name)(*arguments)
    assert error == want, (name, error)


class ArrayDescriptor(ctypes.Structure):
    _fields_ = [("width", ctypes.c_size_t), ("height", ctypes.c_size_t), ("depth", ctypes.c_size_t), ("format", ctypes.c_int),
                ("channels", ctypes.c_uint), ("flags", ctypes.c_uint)]


def handle(name, *arguments):
    out = pointer()
    call(name, byref(out), *arguments)
    return out


call("cuInit", 0)
call("cuCtxSetCurrent", handle("cuDevicePrimaryCtxRetain", 0))
module = handle("cuModuleLoadData", open(sys.argv[1], "rb").read() + b"\0")
function = handle("cuModuleGetFunction", module, b"read")
plane, line = (handle("cuModuleGetTexRef", module, name) for name in (b"plane", b"line"))
picture = handle("cuModuleGetSurfRef", module, b"picture")
assert handle("cuModuleGetTexRef", module, b"plane").value == plane.value
call("cuModuleGetTexRef", byref(pointer()), module, b"nothing", want=500)



def side(end):
    members = [("x", ctypes.c_size_t), ("y", ctypes.c_size_t), ("type", ctypes.c_uint), ("host", pointer), ("device", u64),
               ("array", pointer), ("pitch", ctypes.c_size_t)]
    return [(end + name, kind) for name, kind in members]


class Copy(ctypes.Structure):
    _fields_ = side("from_") + side("to_") + [("width", ctypes.c_size_t), ("height", ctypes.c_size_t)]


source = handle("cuArray3DCreate_v2", byref(ArrayDescriptor(8, 4, 0, FLOAT, 1, 0)))
texels = ctypes.create_string_buffer(struct.pack("<32f", *(2.0 * i for i in range(32))), 128)
call("cuMemcpy2D_v2", byref(Copy(from_type=1, from_host=ctypes.addressof(texels), from_pitch=32, to_type=3,
                                 to_array=source, width=32, height=4)))
target = handle("cuArray3DCreate_v2", byref(ArrayDescriptor(8, 4, 0, UINT32, 1, SURFACE)))
memory, out = u64(), u64()
for address in (memory, out):
    call("cuMemAlloc_v2", byref(address), ctypes.c_size_t(4096))
call("cuMemcpyHtoD_v2", memory, struct.pack("<32f", *(100.0 * i for i in range(32))), ctypes.c_size_t(128))

# Pitched memory first, then an array in its place: 8 by 4 floats, rows of 128 bytes.
pitched = u64()
call("cuMemAlloc_v2", byref(pitched), ctypes.c_size_t(512))
for row in range(4):
    call("cuMemcpyHtoD_v2", u64(pitched.value + 128 * row), struct.pack("<8f", *range(8 * row, 8 * row + 8)), ctypes.c_size_t(32))


class Rows(ctypes.Structure):
    _fields_ = [("width", ctypes.c_size_t), ("height", ctypes.c_size_t), ("format", ctypes.c_int), ("channels", ctypes.c_uint)]


call("cuTexRefSetAddress2D_v3", plane, byref(Rows(8, 4, FLOAT, 1)), pitched, ctypes.c_size_t(128))
call("cuTexRefSetAddressMode", plane, 0, 1)
call("cuTexRefSetFilterMode", plane, 0)
call("cuTexRefSetFlags", plane, 0)
call("cuTexRefSetFormat", line, FLOAT, 1)
offset = ctypes.c_size_t(7)
call("cuTexRefSetAddress_v2", byref(offset), line, memory, ctypes.c_size_t(128))
assert offset.value == 0
call("cuTexRefSetAddress_v2", None, line, u64(memory.value + 4), ctypes.c_size_t(64), want=1)  # not aligned, and no offset wanted
mode = ctypes.c_int(9)
call("cuTexRefGetAddressMode", byref(mode), plane, 1)
assert mode.value == 1
call("cuSurfRefSetArray", picture, target, 0)

# What was said of a reference is told again.
single = ctypes.c_float
loose = handle("cuTexRefCreate")
call("cuTexRefSetMipmapFilterMode", loose, 1)
call("cuTexRefSetMipmapLevelBias", loose, single(0.5))
call("cuTexRefSetMipmapLevelClamp", loose, single(1), single(3))
call("cuTexRefSetMaxAnisotropy", loose, 4)
call("cuTexRefSetBorderColor", loose, (single * 4)(1, 2, 3, 4))
number, bias, least, greatest, colour = ctypes.c_int(), single(), single(), single(), (single * 4)()
call("cuTexRefGetMipmapFilterMode", byref(number), loose)
assert number.value == 1
call("cuTexRefGetMaxAnisotropy", byref(number), loose)
assert number.value == 4
call("cuTexRefGetMipmapLevelBias", byref(bias), loose)
call("cuTexRefGetMipmapLevelClamp", byref(least), byref(greatest), loose)
call("cuTexRefGetBorderColor", colour, loose)
assert (bias.value, least.value, greatest.value, list(colour)) == (0.5, 1, 3, [1, 2, 3, 4])
call("cuTexRefGetMipmappedArray", byref(pointer()), plane, want=1)  # bound to pitched memory
call("cuTexRefGetBorderColor", None, loose, want=1)
call("cuTexRefDestroy", loose)


def launch():
    values = (pointer * 1)(ctypes.cast(ctypes.pointer(out), pointer))
    call("cuLaunchKernel", function, 1, 1, 1, 32, 1, 1, 0, None, values, None)
    call("cuCtxSynchronize")
    got = ctypes.create_string_buffer(128)
    call("cuMemcpyDtoH_v2", got, out, ctypes.c_size_t(128))
    return list(struct.unpack("<32f", got.raw))


assert launch() == [101.0 * i for i in range(32)]
call("cuTexRefSetArray", plane, source, 1)
assert launch() == [102.0 * i for i in range(32)]
print("references are right")
