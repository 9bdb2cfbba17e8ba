# What the advice predicts is what its change costs, to the unit: pairs of kernels, before and after, three for each rule.
. "$(dirname "$0")/common.sh"
programs="$source_dir/tests/scripts/programs"
for program in "$programs"/advice*.cu; do
  run "$warplens" run --compiler clang --json "$(basename "$program" .cu).json" "$program"
  expect_code 0
done
python3 "$source_dir/tests/scripts/advice.py" . "$programs"/advice*.cu >stdout 2>stderr || fail "a prediction is wrong"

# Of structures in one array of numbers the layout comes first, and where an index is read, its order.
run "$warplens" run --compiler clang --sm 90 --top-lines 0 --width 400 "$programs/advice_cells.cu"
expect_in stderr 'Change: store the array the other way round: g\[k\*count \+ i\] instead of g\[19\*i \+ k\].*where all are treated alike'
expect_in stderr 'Change: store the array the other way round: v\[k\*count \+ i\] instead of v\[3\*i \+ k\]'
expect_in stderr 'Change: keep the elements that are used together side by side'
expect_in stderr 'the index is read from memory|renumber them by the index that is read'
expect_not_in stderr 'swap the index order|number the working threads'

# What other kernels and loads use counts; a vector may not begin inside 8 bytes.
run "$warplens" run --compiler clang --sm 90 --top-lines 0 --width 400 "$programs/advice_apart.cu"
expect_in stderr 'give each row to a warp, whose lanes walk along it together, where no element needs the one before it'
expect_in stderr "collect the block's elements in shared memory"
expect_in stderr 'declare the structure alignas\(8\)'
expect_not_in stderr 'move its 8 bytes at once'

# Results that lie together are one vector, or are collected: no thread takes another's.
run "$warplens" run --compiler clang --sm 90 --top-lines 0 --width 400 "$programs/advice_results.cu"
expect_in stderr 'alignas\(8\)|__align__\(8\)'
expect_in stderr "collect the block's elements in shared memory"
expect_in stderr 'give each row to a warp'
expect_not_in stderr 'let neighbouring threads take neighbouring elements'

# A counter that goes up by 1 in shared memory is ranked by what hardware does, and what is written is said beside it.
run "$warplens" run --compiler clang --top-lines 0 --width 500 "$programs/advice_spread.cu"
expect_in stderr 'takes lanes of one word together, as the assembler makes it: 3.0[0-9]* as written'

# What stands beside the numbers, for the shapes that people ask about.
run "$warplens" run --compiler clang --sm 90 --top-lines 0 --width 400 "$programs/advice_shapes.cu"
expect_in stderr 'make the block at least 32 threads wide'
expect_in stderr '[a-z]+\[k\*count \+ i\] instead of [a-z]+\[6\*i \+ k\]'
expect_in stderr '16 bytes longer \(144 instead of 128\).*c \^ \(r % 8\)'
expect_in stderr 'structure of arrays.*__align__\(16\)'
expect_in stderr 'declare t\[64\]\[32 \+ 1\], .*4 bytes longer \(132 instead of 128\)' # where lanes are 256 apart
expect_in stderr '^Few threads: lonely: .*1 block of 1 thread'
expect_in stderr '^Narrow accesses: halves_only, .*2 bytes per thread'
expect_in stderr 'let each thread move its 16 bytes at once'
expect_not_in stderr 'none that WarpLens knows'
run "$warplens" run --compiler clang --sm 90 --kernel 'modify|norm' --lines --top-lines 0 --width 400 "$programs/advice_shapes.cu"
expect_in stderr '1024 bytes, as large as parameter 2'
expect_in stderr '8 times fewer sectors; saves 8[0-9]% of the program'
run "$warplens" run --compiler clang --sm 90 --kernel 'of_|parameters<float, 32>' --top-lines 0 --width 400 "$programs/advice_shapes.cu"
expect_in stderr 'Atomics that wait: of_all_warps'
expect_in stderr '65.5 k updates where 8192 would do'
expect_in stderr 'Atomics that wait: of_halves'
expect_in stderr "load of 4 bytes from 'k': 32 constant-memory requests per instruction"
# L2 performs updates of one word one after the other: how long that is depends on the word that has most.
run "$warplens" run --compiler clang --sm 90 --top-lines 0 --width 400 --json contended.json "$programs/contended.cu"
expect_in stderr '131 k updates where 4096 would do. L2 .*: 508 k cycles of the whole GPU, at the word that has most'
expect_in stderr '^one_word .* memory$'
expect_in stderr '^word_each .* launch overhead$'
expect_in stderr '^cells .* launch overhead$'
expect_json contended.json 'max(s["distribution"].get("busiest_word", 0) for s in r["launches"][0]["sites"])' 131072
# Where atomics wait and move bytes for nothing, too, the greater part heads the cause, and what is said of it is of that part.
cat >bins.cu <<'CU'
__global__ void bins(float* sums) {
  for (int k = 0; k < 64; ++k) atomicAdd(&sums[((threadIdx.x ^ threadIdx.x >> 1) & 15) * 64 + k], 1.0f);
}
int main() {
  float* sums;
  cudaMalloc(&sums, 16 * 64 * 4), cudaMemset(sums, 0, 16 * 64 * 4);
  bins<<<64, 256>>>(sums);
  return cudaDeviceSynchronize();
}
CU
run "$warplens" run --compiler clang --sm 90 --width 400 bins.cu
expect_in stderr '100% of the waste, atomics that wait: bins'
expect_in stderr 'lanes of a warp update the same addresses .* for nothing. 1.05 M updates where 524 k would do'
expect_in stderr 'Change: find the lanes of each address'
# Links are no rows, even where each leads to the element behind.
cat >links.cu <<'CU'
#include <vector>
__global__ void flatten(int* label, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, root = i;
  while (label[root] != root) root = label[root];
  label[i] = root;
}
struct Node { int next; float value; };
__global__ void lists(const int* head, const Node* nodes, float* sums) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = head[t]; i >= 0; i = nodes[i].next) sum += nodes[i].value;
  sums[t] = sum;
}
int main() {
  const int n = 1024, length = 24;
  std::vector<int> label(n * length), head(n);
  std::vector<Node> nodes(n * length);
  for (int i = 0; i < n * length; ++i) {
    label[i] = i % 37 ? i - 1 : i;
    nodes[i] = {i % length == length - 1 ? -1 : i + 1, 1.0f};
  }
  for (int t = 0; t < n; ++t) head[t] = t * length;
  int *labels, *heads;
  Node* all;
  float* sums;
  cudaMalloc(&labels, n * length * 4), cudaMalloc(&heads, n * 4), cudaMalloc(&all, n * length * sizeof(Node)), cudaMalloc(&sums, n * 4);
  cudaMemcpy(labels, label.data(), n * length * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(heads, head.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(all, nodes.data(), n * length * sizeof(Node), cudaMemcpyHostToDevice);
  flatten<<<n * length / 256, 256>>>(labels, n);
  lists<<<n / 256, 256>>>(heads, all, sums);
  return cudaDeviceSynchronize();
}
CU
run "$warplens" run --compiler clang --sm 90 --top-lines 0 --width 400 --json links.json links.cu
expect_in stderr 'pointer jumping'
expect_not_in stderr 'give each row to|the other way round'
expect_json links.json 'sorted({(l["kernel"][:4], s["line"]) for l in r["launches"] for s in l["sites"] if s.get("follows_links")})' "[('_Z5l', 11), ('_Z7f', 4)]"
# The next state follows from the text, too; a branch from a key, and a random walk from its numbers: none is a list.
cat >states.cu <<'CU'
#include <vector>
__global__ void automaton(const int* table, const unsigned char* text, int* end, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, state = 0;
  for (int k = 0; k < steps; ++k) state = table[state * 16 + text[k * n + i]];
  end[i] = state;
}
__global__ void trie(const int* child, const unsigned* keys, int* leaf) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, node = 0;
  unsigned key = keys[i];
  for (int bit = 0; bit < 8; ++bit) node = child[2 * node + (key >> bit & 1)];
  leaf[i] = node;
}
__global__ void walk(const int* edges, unsigned* random, int* at, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, node = at[i];
  unsigned r = random[i];
  for (int k = 0; k < steps; ++k) {
    r = r * 1664525 + 1013904223;
    node = edges[node * 4 + (r >> 30)];
  }
  at[i] = node, random[i] = r;
}
int main() {
  const int n = 4096, steps = 32, states = 256;
  std::vector<int> table(states * 16), child(1024), edges(n * 4), at(n);
  std::vector<unsigned char> text(n * steps);
  std::vector<unsigned> keys(n);
  for (int i = 0; i < states * 16; ++i) table[i] = i * 1103 % states;
  for (int i = 0; i < 1024; ++i) child[i] = i + 1 < 512 ? i + 1 : i % 500;
  for (int i = 0; i < n * 4; ++i) edges[i] = i * 40503u % n;
  for (int i = 0; i < n * steps; ++i) text[i] = (i * 2654435761u >> 20) % 16;
  for (int i = 0; i < n; ++i) at[i] = i, keys[i] = i * 2654435761u;
  auto copy = [](const void* from, size_t bytes) {
    void* to;
    cudaMalloc(&to, bytes), cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice);
    return to;
  };
  int* out;
  cudaMalloc(&out, n * 4);
  automaton<<<n / 256, 256>>>((int*)copy(table.data(), table.size() * 4), (unsigned char*)copy(text.data(), text.size()), out, steps);
  trie<<<n / 256, 256>>>((int*)copy(child.data(), 4096), (unsigned*)copy(keys.data(), n * 4), out);
  walk<<<n / 256, 256>>>((int*)copy(edges.data(), n * 16), (unsigned*)copy(keys.data(), n * 4), (int*)copy(at.data(), n * 4), steps);
  return cudaDeviceSynchronize();
}
CU
run "$warplens" run --compiler clang --sm 90 --top-lines 0 --width 400 --json states.json states.cu
expect_not_in stderr 'follows links|pointer jumping'
expect_in stderr 'Change: load what the block reads again into shared memory \([0-9.]+ kB in block 0\) and gather there'
expect_json states.json 'sorted({l["kernel"][:4] for l in r["launches"] for s in l["sites"] if s.get("follows_links")})' '[]'
# A transpose needs a tile, and tiles that are copied past the L1 other places for their chunks.
run "$warplens" run --compiler clang --sm 90 --kernel 'turn|matrices' --top-lines 0 --width 400 "$programs/advice_tiles.cu"
expect_in stderr 'collect a tile in shared memory, and store it from there row by row'
expect_in stderr 'keep chunk c of row r \(16 bytes each\) at c \^ \(r / 2 % 4\)'
expect_not_in stderr 'swap the index order|bytes longer'
# What a thread reads again belongs into a register; what all warps read, into a tile. A neighbourhood has no start to be aligned.
run "$warplens" run --compiler clang --sm 90 --top-lines 0 --width 400 "$programs/advice_repeats.cu"
expect_in stderr '^Read again and again: sums, .*: a: each thread reads the same words 20 times; kept in a register .* 20 times fewer'
expect_in stderr 'store of 4 bytes to .t.: neighbouring threads are 64 bytes apart, and each thread writes the same words 20 times'
expect_in stderr '^Read again and again: same_of_all, .*a tile in shared memory'
expect_in stderr '^Costs little, as the L1 serves it: neighbours'
expect_not_in stderr 'begin at a multiple|__cudart|ring, .*same words'
# Arrays that threads have to themselves; copies that take a sector apart.
run "$warplens" run --compiler clang --sm 90 --top-lines 0 --width 400 "$programs/advice_own_arrays.cu"
expect_in stderr "to 'malloc.*': neighbouring threads are .* apart"
expect_in stderr 'each thread has an array of its own: make one of all'
expect_in stderr 'let lanes that read neighbouring 16 bytes write them side by side'
expect_in stderr 'what is read side by side has to be written side by side, too'
expect_not_in stderr 'none that WarpLens knows'
run "$warplens" check --compiler clang --fail-on never "$programs/advice_shapes.cu"
expect_in stdout "load of 4 bytes from 'k'.*32 requests|32 requests per instruction"
expect_in stdout "from 'x': loaded again, as a store in between may change what it reads"
run "$warplens" run --compiler clang --sm 90 --kernel start_of --width 400 "$programs/advice_shapes.cu"
expect_in stderr 'for nothing; 4 in 1 launch, 5 in 1 launch'
expect_not_in stderr 'cudaMallocPitch'

# The comparison notices a wrong prediction, and a rule that is tried too seldom.
sed -i '0,/"after": \([0-9]*\)/s//"after": 1\1/' advice.json
! python3 "$source_dir/tests/scripts/advice.py" . "$programs"/advice*.cu >/dev/null || fail "a wrong prediction was not noticed"
! python3 "$source_dir/tests/scripts/advice.py" . "$programs/advice_rows.cu" >/dev/null || fail "missing pairs were not noticed"
