#!/usr/bin/env python3
"""Writes a program with many kernels, each launched once.

usage: kernels.py NUMBER >program.cu
"""
import sys

number = int(sys.argv[1])
print("template <int K> __global__ void kernel(float* a, int n) {")
print("  int i = blockIdx.x * blockDim.x + threadIdx.x;")
print("  if (i < n) a[i] = a[(i + K) % n] + K;")
print("}")
print("template <int From, int To> void launch_all(float* a) { // halves, so that no recursion is deep")
print("  if constexpr (To - From == 1) kernel<From><<<1, 64>>>(a, 256);")
print("  else launch_all<From, (From + To) / 2>(a), launch_all<(From + To) / 2, To>(a);")
print("}")
print("int main() {")
print("  float* a;")
print("  cudaMalloc(&a, 1024);")
print("  cudaMemset(a, 0, 1024);")
print(f"  launch_all<0, {number}>(a);")
print("  return cudaDeviceSynchronize() != cudaSuccess;")
print("}")
