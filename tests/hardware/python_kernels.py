#!/usr/bin/env python3
"""Kernels of CuPy, numba-cuda and Triton on PyTorch's tensors: the arrays that they make, to be compared between a GPU and
WarpLens.

usage: python_kernels.py (cupy|numba|triton) OUT.npz
       python_kernels.py compare GPU.npz WARPLENS.npz

On a machine with a GPU and the packages:

    python3 python_kernels.py cupy gpu.npz
    warplens run python3 python_kernels.py cupy warplens.npz
    python3 python_kernels.py compare gpu.npz warplens.npz
"""
import sys

import numpy as np

random = np.random.default_rng(7)
FLOATS = random.standard_normal(5000).astype(np.float32)
MATRIX = random.standard_normal((96, 160)).astype(np.float32)
SQUARE_A, SQUARE_B = (random.standard_normal((64, 64)).astype(np.float16) for _ in range(2))
INTEGERS = random.integers(0, 256, 10000).astype(np.int32)


def cupy_arrays():
    import cupy

    source = r"""
    extern "C" __global__ void strided(const float* x, float* y, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) y[i] = x[(i * 7) % n] * 2.f;
    }
    extern "C" __global__ void transpose(const float* in, float* out, int rows, int columns) {
      __shared__ float tile[32][33];
      int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
      for (int j = 0; j < 32; j += 8)
        if (x < columns && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * columns + x];
      __syncthreads();
      x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
      for (int j = 0; j < 32; j += 8)
        if (x < rows && y + j < columns) out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
    }
    extern "C" __global__ void histogram(const int* x, int* bins, int n) {
      __shared__ int part[256];
      part[threadIdx.x] = 0;
      __syncthreads();
      for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(part + x[i], 1);
      __syncthreads();
      atomicAdd(bins + threadIdx.x, part[threadIdx.x]);
    }"""
    module = cupy.RawModule(code=source)
    x, m, k = cupy.asarray(FLOATS), cupy.asarray(MATRIX), cupy.asarray(INTEGERS)
    strided, turned, bins = cupy.zeros_like(x), cupy.zeros((160, 96), np.float32), cupy.zeros(256, np.int32)
    module.get_function("strided")((20,), (256,), (x, strided, np.int32(x.size)))
    module.get_function("transpose")((5, 3), (32, 8), (m, turned, np.int32(96), np.int32(160)))
    module.get_function("histogram")((8,), (256,), (k, bins, np.int32(k.size)))
    scaled = cupy.ElementwiseKernel("float32 a, float32 b", "float32 c", "c = a * b + a", "scaled")(x, strided)
    squares = cupy.ReductionKernel("float32 x", "float32 y", "x * x", "a + b", "y = a", "0", "squares")(x)
    return dict(strided=strided, transpose=turned, histogram=bins, scaled=scaled, squares=squares, sort=cupy.sort(k),
                largest=m.max(axis=1), positive=x[x > 0], running=cupy.cumsum(k))


def numba_arrays():
    from numba import cuda, float32

    @cuda.jit(lineinfo=True)
    def column_sums(a, out):
        j = cuda.grid(1)
        if j < a.shape[1]:
            s = float32(0)
            for i in range(a.shape[0]):
                s += a[i, j]
            out[j] = s

    @cuda.jit(lineinfo=True)
    def smoothed(x, out):
        part = cuda.shared.array(258, float32)
        t, i = cuda.threadIdx.x, cuda.grid(1)
        part[t + 1] = x[i] if i < x.size else 0
        if t == 0:
            part[0] = x[i - 1] if i > 0 else 0
        if t == 255:
            part[257] = x[i + 1] if i + 1 < x.size else 0
        cuda.syncthreads()
        if i < x.size:
            out[i] = part[t] + part[t + 1] + part[t + 2]

    @cuda.jit(lineinfo=True)
    def count(x, bins):
        i = cuda.grid(1)
        if i < x.size:
            cuda.atomic.add(bins, x[i], 1)

    sums, smooth, bins = np.zeros(160, np.float32), np.zeros(5000, np.float32), np.zeros(256, np.int32)
    column_sums[2, 128](MATRIX, sums)
    smoothed[20, 256](FLOATS, smooth)
    count[40, 256](INTEGERS, bins)
    return dict(column_sums=sums, smoothed=smooth, count=bins)


def triton_arrays():
    import torch
    import triton
    import triton.language as tl

    @triton.jit
    def add(x, y, o, n, B: tl.constexpr):
        i = tl.program_id(0) * B + tl.arange(0, B)
        tl.store(o + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)

    @triton.jit
    def softmax(x, o, columns, B: tl.constexpr):
        row, j = tl.program_id(0), tl.arange(0, B)
        v = tl.load(x + row * columns + j, mask=j < columns, other=-float("inf"))
        e = tl.exp(v - tl.max(v, axis=0))
        tl.store(o + row * columns + j, e / tl.sum(e, axis=0), mask=j < columns)

    @triton.jit
    def product(a, b, c, N: tl.constexpr, B: tl.constexpr):
        i, j = tl.program_id(0) * B + tl.arange(0, B), tl.program_id(1) * B + tl.arange(0, B)
        s = tl.zeros((B, B), dtype=tl.float32)
        for k in range(0, N, B):
            l = k + tl.arange(0, B)
            s += tl.dot(tl.load(a + i[:, None] * N + l[None, :]), tl.load(b + l[:, None] * N + j[None, :]))
        tl.store(c + i[:, None] * N + j[None, :], s)

    def gpu(array):
        return torch.from_numpy(array).to("cuda")

    x, m, a, b = gpu(FLOATS), gpu(MATRIX), gpu(SQUARE_A), gpu(SQUARE_B)
    sums, rows, c = torch.empty_like(x), torch.empty_like(m), torch.empty((64, 64), device="cuda")
    add[(20,)](x, x, sums, x.numel(), B=256)
    softmax[(96,)](m, rows, 160, B=256)
    product[(2, 2)](a, b, c, N=64, B=32)
    return dict(add=sums.cpu(), softmax=rows.cpu(), product=c.cpu())


def compare(first, second):
    one, two = np.load(first), np.load(second)
    for name in one.files:
        a, b = one[name], two[name]
        difference = np.max(np.abs(a.astype(np.float64) - b.astype(np.float64)), initial=0) if a.shape == b.shape else None
        print(f"{name}: {'the same bits' if np.array_equal(a, b) else f'at most {difference} apart'}, {a.size} elements")


if sys.argv[1] == "compare":
    compare(*sys.argv[2:])
else:
    arrays = dict(cupy=cupy_arrays, numba=numba_arrays, triton=triton_arrays)[sys.argv[1]]()
    np.savez(sys.argv[2], **{name: a.get() if hasattr(a, "get") else np.asarray(a) for name, a in arrays.items()})
