// The OpenCL twins of kernels.cu, in the same order.

__kernel void saxpy(int n, float a, __global const float* x, __global float* y) {
  int i = get_global_id(0);
  if (i < n) y[i] = a * x[i] + y[i];
}

__kernel void strided(int n, __global const float* a, __global float* b) {
  int i = get_global_id(0);
  if (i < n) b[i] = a[(i * 32) % n];
}

__kernel void gather(int n, __global const int* index, __global const float* a, __global float* b) {
  int i = get_global_id(0);
  if (i < n) b[i] = a[index[i]];
}

__kernel void matmul(int n, __global const float* A, __global const float* B, __global float* C) {
  int row = get_global_id(1);
  int col = get_global_id(0);
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; k++) sum += A[row * n + k] * B[k * n + col];
    C[row * n + col] = sum;
  }
}

__kernel void transpose(int n, __global const float* in, __global float* out) {
  int x = get_global_id(0);
  int y = get_global_id(1);
  if (x < n && y < n) out[x * n + y] = in[y * n + x];
}

__kernel void matmul_tiled(int n, __global const float* A, __global const float* B, __global float* C) {
  __local float tile_a[16][16];
  __local float tile_b[16][16];
  int tx = get_local_id(0), ty = get_local_id(1);
  int row = get_group_id(1) * 16 + ty, col = get_group_id(0) * 16 + tx;
  float sum = 0.0f;
  for (int t = 0; t < n / 16; t++) {
    tile_a[ty][tx] = A[row * n + t * 16 + tx];
    tile_b[ty][tx] = B[(t * 16 + ty) * n + col];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 16; k++) sum += tile_a[ty][k] * tile_b[k][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  C[row * n + col] = sum;
}

__kernel void reduce(int n, __global const float* in, __global float* out) {
  __local float partial[256];
  int t = get_local_id(0), i = get_global_id(0);
  partial[t] = i < n ? in[i] : 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = get_local_size(0) / 2; d > 0; d >>= 1) {
    if (t < d) partial[t] += partial[t + d];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) out[get_group_id(0)] = partial[0];
}

__kernel void histogram(int n, __global const uchar* data, __global uint* counts) {
  __local uint local_counts[256];
  int t = get_local_id(0);
  local_counts[t] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&local_counts[data[i]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&counts[t], local_counts[t]);
}

__kernel void queens(int n, int given, int threads, __global int* solutions) {
  int id = get_global_id(0);
  if (id >= threads) return;
  uint columns[16], left[16], right[16], open[16];
  uint all_columns = (1u << n) - 1, column = 0, l = 0, r = 0;
  int found = 0, rest = id;
  bool possible = true;
  for (int row = 0; row < given; row++) {
    uint queen = 1u << (rest % n);
    rest /= n;
    possible = possible && !(queen & (column | l | r));
    column |= queen, l = (l | queen) << 1, r = (r | queen) >> 1;
  }
  int depth = 0;
  columns[0] = column, left[0] = l, right[0] = r;
  open[0] = possible ? all_columns & ~(column | l | r) : 0;
  while (depth >= 0) {
    uint squares = open[depth];
    if (squares == 0) {
      depth--;
      continue;
    }
    uint queen = squares & (~squares + 1);
    open[depth] = squares ^ queen;
    if (given + depth + 1 == n) {
      found++;
      continue;
    }
    column = columns[depth] | queen, l = (left[depth] | queen) << 1, r = (right[depth] | queen) >> 1;
    depth++;
    columns[depth] = column, left[depth] = l, right[depth] = r;
    open[depth] = all_columns & ~(column | l | r);
  }
  solutions[id] = found;
}

__kernel void stencil(int n, __global const float* in, __global float* out) {
  int x = get_global_id(0);
  int y = get_global_id(1);
  if (x > 0 && y > 0 && x < n - 1 && y < n - 1) {
    int i = y * n + x;
    out[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
  }
}

__kernel void spmv(int rows, __global const int* start, __global const int* column, __global const float* value,
                   __global const float* x, __global float* y) {
  int row = get_global_id(0);
  if (row < rows) {
    float sum = 0.0f;
    for (int k = start[row]; k < start[row + 1]; k++) sum += value[k] * x[column[k]];
    y[row] = sum;
  }
}
