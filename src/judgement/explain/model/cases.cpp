// The table of built-in cases. They follow the usual course through the subject: how half-warps coalesced on
// the first architectures (CUDA C Programming Guide 4.2, F.3.2), DRAM bursts and matrix multiply (GPU
// Teaching Kit, lecture 6.2), sizes and alignments, two-dimensional arrays and the other memories (CUDA C++
// Programming Guide 12, "Device Memory Accesses"), and gathers (Pearson, "Measuring Memory Access Efficiency
// in Nsight Compute").
//
// A case states its accesses; every number that it shows is counted when it is drawn.
#include "explain/model/cases.h"
#include "text/layout.h"
#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace warplens::explain {
namespace {

using access::Space;
using Settings = std::vector<std::pair<std::string, std::string>>;

// The questions are constants of this file: one that cannot be answered is caught by the test over the table.
Frame ask(std::string caption, const Question& question) {
  ResultOr<Explanation, Rejection> answer = explain(question);
  return {std::move(caption), answer ? std::move(*answer) : Explanation{}};
}

Question on(u32 sm, std::string access, Dim3 block = {32, 1, 1}) {
  Question q;
  q.access = std::move(access);
  q.sm = sm;
  q.block = block;
  return q;
}

Question with(Question q, Settings settings) {
  q.settings = std::move(settings);
  return q;
}

Question starting(Question q, u64 base) {
  q.base = base;
  return q;
}

Question in(Space space, Question q) {
  q.space = space;
  return q;
}

Question typed(Question q, std::string type) {
  q.type = std::move(type);
  return q;
}

constexpr Dim3 half_warp{16, 1, 1};

std::vector<Frame> coalesced_10() {
  Question q = on(10, "A[threadIdx.x]", half_warp);
  q.condition = "threadIdx.x != 3";
  return {ask("the 4th thread takes no part", q)};
}
std::vector<Frame> permuted_10() {
  return {ask("threads 0 and 1, 2 and 3 … exchange their words", on(10, "A[threadIdx.x ^ 1]", half_warp))};
}
std::vector<Frame> misaligned_10() {
  return {ask("in order, one word too far", starting(on(10, "A[threadIdx.x]", half_warp), 4))};
}
std::vector<Frame> permuted_12() {
  return {ask("any order inside 64 bytes", on(12, "A[threadIdx.x ^ 5]", half_warp))};
}
std::vector<Frame> crossing_12() {
  return {ask("in order, across a multiple of 128", starting(on(12, "A[threadIdx.x]", half_warp), 80))};
}
std::vector<Frame> one_segment_12() {
  return {
      ask("15 words in the lower half, one in the upper", starting(on(12, "A[threadIdx.x]", half_warp), 4))};
}

std::vector<Frame> bursts() {
  const auto memory = [](std::string access) {
    Question q = typed(on(90, std::move(access), {4, 1, 1}), "char");
    q.section = 4;
    return q;
  };
  return {ask("coalesced: all in one section", memory("A[threadIdx.x + 4]")),
          ask("across a boundary: two sections", memory("A[threadIdx.x + 2]")),
          ask("spread out: every section", memory("A[4*threadIdx.x + 1]"))};
}

Settings product(std::string row) {
  return {{"n", "1024"},
          {"k", "1024"},
          {"i", "0"},
          {"Row", std::move(row)},
          {"Col", "blockIdx.x*blockDim.x + threadIdx.x"}};
}
const std::string row_by_y = "blockIdx.y*blockDim.y + threadIdx.y",
                  row_by_x = "blockIdx.x*blockDim.x + threadIdx.x";

std::vector<Frame> matrix_a() {
  return {ask("Row from threadIdx.y: the lanes of a row read one word",
              with(on(90, "A[Row*n + i]", {32, 8, 1}), product(row_by_y))),
          ask("Row from threadIdx.x: every lane in a row of its own",
              with(on(90, "A[Row*n + i]", {32, 8, 1}), product(row_by_x)))};
}
std::vector<Frame> matrix_b() {
  return {ask("Col from threadIdx.x, in the block of 32×8",
              with(on(90, "B[i*k + Col]", {32, 8, 1}), product(row_by_y))),
          ask("in the block of 16×16: two rows of threads read the same words",
              with(on(90, "B[i*k + Col]", {16, 16, 1}), product(row_by_y)))};
}

std::vector<Frame> one_eighth() {
  return {ask("each 4-byte word in a 32-byte transaction of its own", on(90, "A[8*threadIdx.x]"))};
}
std::vector<Frame> unaligned() { return {ask("bytes 132 to 259", on(70, "A[threadIdx.x + 33]"))}; }
std::vector<Frame> non_sequential() {
  return {ask("steps of 5 words, around 96 words", on(70, "A[5*threadIdx.x % 96]"))};
}

// 10,000 elements through an index array: `off` is the identity, or a fixed shuffle of it.
Frame gather(std::string caption, std::string type, u32 bytes, bool shuffled) {
  constexpr u32 elements = 10000;
  std::vector<u32> index(elements);
  std::iota(index.begin(), index.end(), 0u);
  u64 state = 1; // splitmix64, so that every machine shuffles alike
  for (u32 i = elements - 1; shuffled && i > 0; --i) {
    u64 z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    std::swap(index[i], index[(z ^ z >> 31) % (i + 1)]);
  }
  Explanation e;
  e.question = typed(on(70, "p[off[i]]", {elements, 1, 1}), std::move(type));
  e.array = "p";
  e.manner.pieces = {{0, bytes}};
  for (u32 i : index) {
    e.footprint.offset.push_back(i64{i} * bytes);
    e.footprint.active.push_back(1);
  }
  count_all(e, *arch::find(70));
  return {std::move(caption), std::move(e)};
}
std::vector<Frame> gather_identity() {
  return {gather("floats, off[i] = i", "float", 4, false), gather("doubles, off[i] = i", "double", 8, false)};
}
std::vector<Frame> gather_shuffled() {
  return {gather("floats, off shuffled", "float", 4, true),
          gather("doubles, off shuffled", "double", 8, true)};
}

std::vector<Frame> two_dimensional() {
  Question plain = with(on(90, "A[threadIdx.y*width + threadIdx.x]", {32, 4, 1}), {{"width", "100"}});
  Question warp = with(plain, {{"width", "128"}});
  plain.warp = warp.warp = 1;
  Question other = with(on(20, "A[threadIdx.y*width + threadIdx.x]", {32, 4, 1}), {{"width", "100"}});
  Question padded = with(other, {{"width", "128"}});
  other.warp = padded.warp = 1;
  return {ask("2.0, 100 floats to a row: the second row starts at byte 400", other),
          ask("2.0, rows padded to 128 floats", padded), ask("9.0, 100 floats to a row", plain),
          ask("9.0, rows padded to 128 floats (cudaMallocPitch: 512 bytes)", warp)};
}

std::vector<Frame> bank_conflicts() {
  std::vector<Frame> out;
  for (u32 stride : {1u, 2u, 3u, 8u, 32u})
    out.push_back(ask(
        fmt::format("a stride of {}", text::plural(stride, "word")),
        in(Space::shared, with(on(90, "s[stride*threadIdx.x]"), {{"stride", fmt::format("{}", stride)}}))));
  Question padded = in(Space::shared, on(90, "tile[threadIdx.x][0]"));
  padded.dims = {32, 33};
  out.push_back(ask("a column of a tile of 32 rows, padded to 33 columns", padded));
  return out;
}

std::vector<Frame> constant_serialised() {
  return {ask("one address", in(Space::constant, on(90, "c[0]"))),
          ask("four addresses", in(Space::constant, on(90, "c[threadIdx.x % 4]"))),
          ask("32 addresses", in(Space::constant, on(90, "c[threadIdx.x]")))};
}

std::vector<Frame> local_interleaved() {
  return {ask("the same index in every lane", with(in(Space::local, on(90, "a[i]")), {{"i", "3"}})),
          ask("a different index in every lane", in(Space::local, on(90, "a[threadIdx.x]")))};
}

std::vector<Frame> texture_locality() {
  const auto texture = [](std::string access, Dim3 block) {
    return with(in(Space::texture, on(90, std::move(access), block)), {{"width", "256"}});
  };
  return {ask("a row of 32 texels", texture("t[threadIdx.x]", {32, 1, 1})),
          ask("8 × 4 texels", texture("t[threadIdx.y*width + threadIdx.x]", {8, 4, 1})),
          ask("a column of 32 texels", texture("t[threadIdx.x*width]", {32, 1, 1}))};
}

std::vector<Frame> structure_alignment() {
  return {
      ask("12 bytes, aligned to 4", typed(on(90, "p[threadIdx.x]"), "struct{float x,y,z;}")),
      ask("__align__(16): 16 bytes", typed(on(90, "p[threadIdx.x]"), "struct __align__(16) {float x,y,z;}")),
      ask("8 bytes, aligned to 4", typed(on(90, "p[threadIdx.x]"), "struct{float a,b;}")),
      ask("__align__(8)", typed(on(90, "p[threadIdx.x]"), "struct __align__(8) {float a,b;}"))};
}

std::vector<Frame> coalesced() {
  return {ask("one block of 256 threads", on(90, "A[blockIdx.x*blockDim.x + threadIdx.x]", {256, 1, 1}))};
}
std::vector<Frame> strided() {
  return {ask("every second word", with(on(90, "A[stride*threadIdx.x]"), {{"stride", "2"}}))};
}
std::vector<Frame> offset() {
  return {ask("2.0, one word too far", with(on(20, "A[threadIdx.x + offset]"), {{"offset", "1"}})),
          ask("9.0, one word too far", with(on(90, "A[threadIdx.x + offset]"), {{"offset", "1"}}))};
}
std::vector<Frame> one_member() {
  return {ask("p[i].y, an array of structures", typed(on(90, "p[threadIdx.x].y"), "struct{float x,y,z;}")),
          ask("y[i], an array for each member", on(90, "y[threadIdx.x]"))};
}
std::vector<Frame> transpose() {
  const auto store = [](std::string access) {
    Question q = with(on(90, std::move(access), {32, 8, 1}), {{"n", "1024"}});
    q.kind = access::Kind::store;
    return q;
  };
  return {ask("writing down a column", store("out[threadIdx.x*n + threadIdx.y]")),
          ask("through a tile in shared memory: along a row", store("out[threadIdx.y*n + threadIdx.x]"))};
}
std::vector<Frame> padding() {
  const auto tile = [](std::string pad) {
    return in(Space::shared, with(on(90, "tile[threadIdx.x*(32 + pad) + threadIdx.y]", {32, 32, 1}),
                                  {{"pad", std::move(pad)}}));
  };
  return {ask("rows of 32 words", tile("0")), ask("one unused word at the end of each row", tile("1"))};
}
std::vector<Frame> gather_of_hash() {
  const auto shuffled = [](std::string i) {
    return with(on(70, std::move(i), {256, 1, 1}),
                {{"i", "blockIdx.x*blockDim.x + threadIdx.x"}, {"n", "10000"}});
  };
  return {ask("in order", shuffled("p[i % n]")),
          ask("shuffled among n words", shuffled("p[(i*40503 >> 4) % n]"))};
}

constexpr std::string_view start = "Start here", half_warps = "Half-warps, compute capability 1.x",
                           matrices = "Matrices", structures = "Structures", shared = "Shared memory",
                           order = "Out of order", others = "Other memories";

constexpr Case built_in_cases[] = {
    {start, "dram-bursts", "A 16-byte memory with 4-byte burst sections",
     "Memory delivers whole sections: touch one byte, and its three neighbours travel too. All accesses in "
     "one section is one request, fully coalesced; "
     "accesses across a boundary need more, and bring bytes that nobody asked for. Real sections are larger; "
     "the rule is the same.",
     bursts, "", "Three reads of four bytes. Count the hatched ones."},
    {start, "coalesced", "Thread k takes word k",
     "Neighbouring threads, neighbouring words: the bytes of a warp fill whole sectors, and every byte that "
     "moves is asked for.",
     coalesced, "", "Change + to *, or take blockDim.x out: what still fills whole sectors?"},
    {start, "stride", "What a stride costs",
     "With a stride of s words one word in s is used. From 8 words on each lane has a sector of 32 bytes to "
     "itself: it cannot get worse.",
     strided, "stride", "Move the stride. Where does it stop getting worse? And on 1.0, on 2.0?"},
    {start, "offset", "What an offset costs",
     "In order, but not from the start of a segment. On the first GPUs this cost sixteen transactions; today "
     "it is one sector more.",
     offset, "offset", "Move the offset with 1.0, 1.3, 2.0 and 9.0 chosen below."},
    {half_warps, "coalesced-1.0", "1.0, 1.1: thread k takes word k",
     "Thread k of a half-warp accesses word k of one aligned 64-byte segment. A thread may stay out. One "
     "transaction of 64 bytes: coalesced.",
     coalesced_10},
    {half_warps, "permuted-1.0", "1.0, 1.1: the same words in another order",
     "Out of order, the first architectures give every thread a transaction of its own, and none is smaller "
     "than 32 bytes: 16 of them, seven eighths wasted.",
     permuted_10},
    {half_warps, "misaligned-1.0", "1.0, 1.1: in order, but not aligned",
     "Consecutive threads, consecutive words, but the first is not at the start of a segment: again 16 "
     "transactions.",
     misaligned_10, "@base"},
    {half_warps, "permuted-1.2", "1.2, 1.3: any order within one segment",
     "From 1.2 on the order does not matter: all words lie in one 64-byte segment, so one transaction of 64 "
     "bytes serves them.",
     permuted_12},
    {half_warps, "crossing-1.2", "1.2, 1.3: across a 128-byte boundary",
     "Two 128-byte segments are touched. Of the first only the upper half is used, so it shrinks to 64 "
     "bytes; the second shrinks to 64 and again to 32.",
     crossing_12, "@base"},
    {half_warps, "one-segment-1.2", "1.2, 1.3: all in one 128-byte segment",
     "Both halves of the segment are used, if only by one thread, so nothing shrinks: one transaction of 128 "
     "bytes.",
     one_segment_12},
    {matrices, "matmul-a", "Matrix multiply, A[Row*n + i]",
     "Which thread index makes Row decides. From threadIdx.y, threadIdx.x does not occur: one word for the "
     "whole warp. From threadIdx.x, neighbouring threads are a row apart.",
     matrix_a, "@block.x", "Make blockDim.x smaller than 32: how many rows does a warp hold now?"},
    {matrices, "matmul-b", "Matrix multiply, B[i*k + Col]",
     "The index is (i*k + blockIdx.x*blockDim.x) + threadIdx.x: a term independent of threadIdx.x, plus "
     "threadIdx.x. Coalesced.",
     matrix_b, "@block.x"},
    {matrices, "transpose", "A transpose: one side is always a column",
     "Read along a row, and you write down a column. Through a tile in shared memory both sides run along "
     "rows.",
     transpose, "n", "Compare the two, then open the padded tile."},
    {matrices, "two-dimensional", "A two-dimensional array, with and without pitch",
     "Both the block's width and the row's should be multiples of the warp. A row of 100 floats is not: "
     "every row but the first starts inside a segment. Padded rows start at a boundary.",
     two_dimensional, "width", "Move the width: which widths start each row at a boundary?"},
    {structures, "one-member", "One member of a structure",
     "The member has 4 bytes, the structure 12: two thirds of what moves are the neighbours' other members.",
     one_member, "", "Add a member to the type. What does an array for each member save?"},
    {structures, "structure-alignment", "Structures: size and alignment",
     "An instruction moves 1, 2, 4, 8 or 16 aligned bytes. Any other structure is several instructions, each "
     "with gaps between the lanes.",
     structure_alignment},
    {shared, "bank-conflicts", "Shared memory: n-way bank conflicts",
     "Words lie in 32 banks in turn. A bank gives one word a pass, so the warp takes as many passes as the "
     "busiest bank has words. An odd stride never conflicts.",
     bank_conflicts, "stride", "Move the stride. Which ones have no conflict, and why?"},
    {shared, "padding", "The padded tile",
     "A column of 32 × 32 words lies in one bank: 32 passes. With one unused word more in each row, each row "
     "begins one bank further: one pass.",
     padding, "pad", "Move pad from 0 to 4. Why is 2 worse than 1?"},
    {order, "one-eighth", "A 32-byte transaction for every 4-byte word",
     "Each thread's 4 bytes come in a transaction of 32: an eighth of the throughput is left.", one_eighth},
    {order, "unaligned", "Consecutive but unaligned: two requests",
     "The words lie in two 128-byte lines, 128–255 and 256–383: two L1 requests where one would do.",
     unaligned},
    {order, "non-sequential", "Out of sequence: three requests",
     "The words lie in three 128-byte lines, 0–127, 128–255 and 256–383: three L1 requests.", non_sequential},
    {order, "gather", "Through an index array",
     "In order a gather is as good as a direct access. Shuffled, nearly every lane has a sector to itself. "
     "The index is a formula here: expressions have no arrays.",
     gather_of_hash, "n", "Make n smaller: when do lanes begin to meet?"},
    {order, "gather-identity", "10,000 elements through an index array, in order",
     "313 warps, the last one half full. Floats: one line and four sectors a warp, 313 and 1250. Doubles: "
     "625 lines and 2500 sectors.",
     gather_identity, "", "", false},
    {order, "gather-shuffled", "10,000 elements through a shuffled index array",
     "Almost every lane has a line and a sector to itself; some coalesce by chance.", gather_shuffled, "", "",
     false},
    {others, "constant-serialised", "Constant memory: one request per address",
     "The constant cache serves one address at a time. All lanes at one address is what it is made for; each "
     "further address is a further request.",
     constant_serialised},
    {others, "local-interleaved", "Local memory: interleaved between lanes",
     "Word w of all 32 lanes lies side by side. The same index in every lane is one line; 32 different "
     "indices are 32 lines.",
     local_interleaved},
    {others, "texture-locality", "Textures: quads of neighbouring lanes",
     "Lanes are served in quads: eight requests a warp. What a quad wants should lie close together. The "
     "layout of a CUDA array is not documented, so this is the linear one; the sectors are an estimate.",
     texture_locality},
};

} // namespace

std::span<const Case> cases() { return built_in_cases; }

const Case* find_case(std::string_view name) {
  auto at = std::find_if(std::begin(built_in_cases), std::end(built_in_cases),
                         [&](const Case& c) { return c.name == name; });
  return at == std::end(built_in_cases) ? nullptr : at;
}

} // namespace warplens::explain
