// PolyBench-GPU's arrays, made small: its headers take these sizes where N is defined. System headers come first, as some use such names.
#pragma once
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <cuda.h>
#include <cuda_runtime.h>
#include <iostream>
#include <sys/time.h>
#include <unistd.h>
#define N 128
#define M 128
#define NI 128
#define NJ 128
#define NK 128
#define NL 128
#define NM 128
#define NX 128
#define NY 128
#define NP 32
#define NQ 32
#define NR 32
#define TMAX 3
#define TSTEPS 3
#define cudaThreadSynchronize cudaDeviceSynchronize // left out of CUDA 13
