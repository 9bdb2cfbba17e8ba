// One table of names, and what several of them mean together. See types.h.
#include "source/types.h"
#include <algorithm>
#include <string>
#include <vector>

namespace warplens::source {
namespace {

struct Row {
  KnownType type;
  bool has_vectors; // of up to four: float4, uchar2
  std::string_view names;
};
constexpr Row table[] = {
    {{1, 0}, true, " char uchar "},
    {{1, 0}, false, " bool int8_t uint8_t std::byte __nv_fp8_e4m3 __nv_fp8_e5m2 "},
    {{2, 0}, true, " short ushort half "},
    {{2, 0}, false, " int16_t uint16_t __half __nv_bfloat16 nv_bfloat16 bfloat16 "},
    {{2, 0}, false, " __nv_fp8x2_e4m3 __nv_fp8x2_e5m2 "},
    {{4, 0}, true, " int uint float "},
    {{4, 0}, false, " signed unsigned int32_t uint32_t cufftReal "},
    {{4, 0}, false, " __half2 __nv_bfloat162 nv_bfloat162 __nv_fp8x4_e4m3 __nv_fp8x4_e5m2 "},
    {{8, 0}, true, " long ulong longlong ulonglong double "},
    {{8, 0}, false, " int64_t uint64_t size_t ptrdiff_t intptr_t uintptr_t cufftDoubleReal "},
    // Complex numbers of CUDA's libraries are its vector types by other names: float2, double2.
    {{8, 2}, false, " cuComplex cuFloatComplex cufftComplex "},
    {{16, 2}, false, " cuDoubleComplex cufftDoubleComplex "}};

const Row* row_of(std::string_view word) {
  const std::string name = " " + std::string(word) + " ";
  const Row* row = std::ranges::find_if(table, [&](const Row& r) { return r.names.find(name) != name.npos; });
  return row == std::end(table) ? nullptr : row;
}

bool says_nothing(std::string_view word) {
  return word == "const" || word == "volatile" || word == "struct" || word == "__restrict__" ||
         word == "__restrict" || word == "restrict";
}

// Of a type, but for those that say nothing of its size.
std::vector<std::string_view> words_of(std::string_view type) {
  constexpr std::string_view between = " *&";
  std::vector<std::string_view> out;
  for (std::size_t at = 0; (at = type.find_first_not_of(between, at)) != type.npos;) {
    const std::size_t end = std::min(type.find_first_of(between, at), type.size());
    if (const std::string_view word = type.substr(at, end - at); !says_nothing(word)) out.push_back(word);
    at = end;
  }
  return out;
}

} // namespace

std::optional<KnownType> known_type(std::string_view word) {
  if (const Row* row = row_of(word)) return row->type;
  if (word.empty() || word.back() < '1' || word.back() > '4') return {};
  const Row* element = row_of(word.substr(0, word.size() - 1));
  if (element == nullptr || !element->has_vectors) return {};
  const u32 count = static_cast<u32>(word.back() - '0');
  return KnownType{count * element->type.bytes, count};
}

u32 size_of(std::string_view type, const std::function<u32(std::string_view)>& other) {
  constexpr std::size_t longest = 6; // words
  const std::vector<std::string_view> words = words_of(type);
  if (words.size() > longest) return 0;
  u32 size = 0;
  bool long_before = false;
  for (std::string_view word : words) {
    u32 one = known_type(word).value_or(KnownType()).bytes;
    if (one == 0 && other) one = other(word);
    if (one == 0 || (long_before && word == "double")) return 0;
    long_before = word == "long";
    // "unsigned char" and "short int" are as wide as the word that says more.
    const bool vague = word == "unsigned" || word == "signed" || word == "int";
    size = size == 0 ? one : vague ? size : (size == 4 ? one : std::max(size, one));
  }
  return size;
}

std::string_view type_name(std::string_view type) {
  const std::vector<std::string_view> words = words_of(type);
  return words.size() == 1 ? words[0] : std::string_view();
}

} // namespace warplens::source
