// Each thread walks a linked list. Where the nodes of one step lie decides everything: spread at random, each
// lane touches a sector of its own; ordered step by step, the 32 nodes of a warp's step are neighbours.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <utility>
#include <vector>

#define CHECK(call)                                                                                          \
  do {                                                                                                       \
    cudaError_t status = (call);                                                                             \
    if (status != cudaSuccess) {                                                                             \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));                            \
      std::exit(1);                                                                                          \
    }                                                                                                        \
  } while (0)

constexpr int lists = 1024, length = 8;

struct Node {
  int value;
  int next; // index of the next node, -1 at the end
};

__global__ void sum_lists(const Node* nodes, const int* heads, int* sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int at = heads[i]; at >= 0;) {
    Node node = nodes[at]; // depends on the previous load: latency, and wherever `at` points
    sum += node.value;
    at = node.next;
  }
  sums[i] = sum;
}

// place[step · lists + list] is where node `step` of list `list` is stored.
static bool walk(const std::vector<int>& place) {
  std::vector<Node> nodes(lists * length);
  std::vector<int> heads(lists), sums(lists);
  for (int list = 0; list < lists; ++list) {
    heads[list] = place[list];
    for (int step = 0; step < length; ++step)
      nodes[place[step * lists + list]] = {list + step,
                                           step + 1 < length ? place[(step + 1) * lists + list] : -1};
  }
  Node* d_nodes;
  int *d_heads, *d_sums;
  CHECK(cudaMalloc(&d_nodes, nodes.size() * sizeof(Node)));
  CHECK(cudaMalloc(&d_heads, lists * sizeof(int)));
  CHECK(cudaMalloc(&d_sums, lists * sizeof(int)));
  CHECK(cudaMemcpy(d_nodes, nodes.data(), nodes.size() * sizeof(Node), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_heads, heads.data(), lists * sizeof(int), cudaMemcpyHostToDevice));
  sum_lists<<<lists / 128, 128>>>(d_nodes, d_heads, d_sums);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(sums.data(), d_sums, lists * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_nodes));
  CHECK(cudaFree(d_heads));
  CHECK(cudaFree(d_sums));
  bool good = true;
  for (int list = 0; list < lists; ++list) good &= sums[list] == length * list + length * (length - 1) / 2;
  return good;
}

int main() {
  std::vector<int> place(lists * length);
  for (int i = 0; i < lists * length; ++i) place[i] = i;
  bool good = walk(place); // ordered: step by step
  unsigned long long state = 7;
  for (int i = lists * length - 1; i > 0; --i) { // then shuffled
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    std::swap(place[i], place[(state >> 32) % (i + 1)]);
  }
  good &= walk(place);
  std::printf("linked_list: %s\n", good ? "PASS" : "FAIL");
  return good ? 0 : 1;
}
