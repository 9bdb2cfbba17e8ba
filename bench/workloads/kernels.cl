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

__kernel void nbody(int n, float seconds, __global const float4* body, __global const float4* velocity,
                    __global float4* after) {
  __local float4 tile[256];
  int t = get_local_id(0), i = get_group_id(0) * 256 + t;
  float4 me = body[i], v = velocity[i];
  float ax = 0.0f, ay = 0.0f, az = 0.0f;
  for (int first = 0; first < n; first += 256) {
    tile[t] = body[first + t];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 256; k++) {
      float4 other = tile[k];
      float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
      float near = rsqrt(dx * dx + dy * dy + dz * dz + 0.01f);
      float pull = other.w * near * near * near;
      ax += pull * dx, ay += pull * dy, az += pull * dz;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  after[i] = (float4)(v.x + seconds * ax, v.y + seconds * ay, v.z + seconds * az, v.w);
}

float2 times(float2 a, float2 b) { return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

__kernel void fft(int n, int stride, int distance, __global const float2* in, __global float2* out) {
  __local float2 points[1024];
  int t = get_local_id(0), quarter = n / 4, base = get_group_id(0) * distance;
  for (int i = t; i < n; i += quarter) points[i] = in[base + i * stride];
  for (int done = 1; done < n; done *= 4) {
    int within = t & (done - 1), to = 4 * t - 3 * within;
    float angle = -1.57079633f * within / done;
    float2 turn = (float2)(native_cos(angle), native_sin(angle));
    float2 twice = times(turn, turn);
    barrier(CLK_LOCAL_MEM_FENCE);
    float2 a = points[t], b = times(turn, points[t + quarter]), c = times(twice, points[t + 2 * quarter]);
    float2 d = times(times(turn, twice), points[t + 3 * quarter]);
    barrier(CLK_LOCAL_MEM_FENCE);
    points[to] = (float2)(a.x + b.x + c.x + d.x, a.y + b.y + c.y + d.y);
    points[to + done] = (float2)(a.x + b.y - c.x - d.y, a.y - b.x - c.y + d.x);
    points[to + 2 * done] = (float2)(a.x - b.x + c.x - d.x, a.y - b.y + c.y - d.y);
    points[to + 3 * done] = (float2)(a.x - b.y - c.x + d.y, a.y + b.x - c.y - d.x);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = t; i < n; i += quarter) out[base + i * stride] = points[i];
}

__kernel void pathfinder(int columns, int row, int rows, __global const int* cost, __global const int* in,
                         __global int* out) {
  __local int before[256];
  int t = get_local_id(0), x = (int)get_group_id(0) * (256 - 2 * rows) - rows + t;
  bool inside = x >= 0 && x < columns;
  int best = inside ? in[x] : 1 << 30;
  for (int i = 1; i <= rows; i++) {
    before[t] = best;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (inside && t >= i && t < 256 - i)
      best = min(min(before[t - 1], best), before[t + 1]) + cost[(row + i) * columns + x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (inside && t >= rows && t < 256 - rows) out[x] = best;
}

__kernel void bfs_start(int nodes, __global int* level) {
  int node = get_global_id(0);
  if (node < nodes) level[node] = node == 0 ? 0 : -1;
}

__kernel void bfs(int nodes, int depth, __global const int* start, __global const int* neighbour, __global int* level) {
  int node = get_global_id(0);
  if (node >= nodes || level[node] >= 0) return;
  for (int k = start[node]; k < start[node + 1]; k++)
    if (level[neighbour[k]] == depth) {
      level[node] = depth + 1;
      return;
    }
}

__kernel void sort_block(int smallest, int largest, __global const uint* in, __global uint* out) {
  __local uint keys[512];
  int t = get_local_id(0), first = get_group_id(0) * 512;
  keys[t] = in[first + t], keys[t + 256] = in[first + t + 256];
  for (int size = smallest; size <= largest; size *= 2)
    for (int distance = min(size, 512) / 2; distance > 0; distance /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      int i = 2 * t - (t & (distance - 1));
      uint a = keys[i], b = keys[i + distance];
      bool ascending = ((first + i) & size) == 0;
      if ((a > b) == ascending) keys[i] = b, keys[i + distance] = a;
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[first + t] = keys[t], out[first + t + 256] = keys[t + 256];
}

__kernel void sort_step(int size, int distance, __global uint* keys) {
  int t = get_global_id(0), i = 2 * t - (t & (distance - 1));
  uint a = keys[i], b = keys[i + distance];
  bool ascending = (i & size) == 0;
  if ((a > b) == ascending) keys[i] = b, keys[i + distance] = a;
}

__kernel void attention(int n, __global const float* query, __global const float* key, __global const float* value,
                        __global float* out) {
  __local float weight[1024], partial[64];
  int t = get_local_id(0), q = get_group_id(0);
  float most = -1e30f, sum = 0.0f, result = 0.0f;
  for (int k = t; k <= q; k += 64) {
    float score = 0.0f;
    for (int i = 0; i < 64; i++) score += query[q * 64 + i] * key[i * n + k];
    weight[k] = score * 0.125f;
    most = fmax(most, weight[k]);
  }
  partial[t] = most;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 32; d > 0; d >>= 1) {
    if (t < d) partial[t] = fmax(partial[t], partial[t + d]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  most = partial[0];
  for (int k = t; k <= q; k += 64) sum += weight[k] = exp(weight[k] - most);
  barrier(CLK_LOCAL_MEM_FENCE);
  partial[t] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 32; d > 0; d >>= 1) {
    if (t < d) partial[t] += partial[t + d];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int k = 0; k <= q; k++) result += weight[k] * value[k * 64 + t];
  out[q * 64 + t] = result / partial[0];
}
