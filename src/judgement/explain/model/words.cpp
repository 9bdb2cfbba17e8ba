#include "explain/model/words.h"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace warplens::explain {
namespace {

using diag::Diagnostic;

// "32,8": up to so many whole numbers.
Result<std::vector<u64>> numbers(const std::string& flag, const std::string& text, std::size_t most) {
  std::vector<u64> out;
  const char *at = text.data(), *end = at + text.size();
  while (at != end) {
    u64 value = 0;
    auto [next, error] = std::from_chars(at, end, value);
    bool good = error == std::errc{} && (next == end || ((*next == ',' || *next == 'x') && next + 1 != end));
    if (!good || out.size() == most)
      return failure(diag::error("explain-numbers",
                                 fmt::format("'{}' is not a list of at most {} whole numbers", text, most),
                                 {}, fmt::format("write for example {} 32,8", flag)));
    out.push_back(value);
    at = next == end ? end : next + 1;
  }
  return out;
}

Result<Dim3> dim3(const std::string& flag, const std::string& text, u32 rest) {
  Result<std::vector<u64>> list = numbers(flag, text, 3);
  if (!list) return failure(std::move(list.error()));
  list->resize(3, rest);
  for (u64 value : *list)
    if (value > 0xffffffff)
      return failure(diag::error("explain-numbers", fmt::format("{} {} is too large", flag, text)));
  return Dim3{static_cast<u32>((*list)[0]), static_cast<u32>((*list)[1]), static_cast<u32>((*list)[2])};
}

// The enumerator whose name is `text`. Behind the last one come values without a name; the first may have none.
template <class Enum> Result<Enum> named(const std::string& flag, const std::string& text) {
  std::string known;
  for (u32 i = 0; i == 0 || !access::name(static_cast<Enum>(i)).empty(); ++i) {
    std::string_view name = access::name(static_cast<Enum>(i));
    if (name == text) return static_cast<Enum>(i);
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  return failure(diag::error("explain-choice", fmt::format("{} has no '{}'", flag, text), {},
                             fmt::format("choose one of {}", known)));
}

} // namespace

Result<Question> question_of(const Words& words, u32 sm) {
  Question q;
  q.access = words.access;
  q.condition = words.condition;
  for (const std::string& setting : words.settings) {
    std::size_t equals = setting.find('=');
    if (equals == setting.npos)
      return failure(diag::error("explain-set", fmt::format("'{}' sets nothing", setting), {},
                                 "write --set name=value, for example --set n=1024"));
    q.settings.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
  }
  q.type = words.type;
  Result<std::vector<u64>> dims = numbers("--dims", words.dims, 8);
  if (dims && std::find(dims->begin(), dims->end(), 0) != dims->end())
    return failure(diag::error("explain-numbers",
                               fmt::format("--dims {} has a dimension without elements", words.dims), {},
                               "a dimension has at least 1 element"));
  Result<Dim3> block = dim3("--block", words.block, 1), grid = dim3("--grid", words.grid, 1),
               cta = dim3("--cta", words.cta, 0);
  Result<access::Space> space = named<access::Space>("--space", words.space);
  Result<access::Kind> kind = named<access::Kind>("--op", words.operation);
  Result<access::Cache> cache = named<access::Cache>("--cache", words.cache);
  for (const Diagnostic* bad :
       {dims ? nullptr : &dims.error(), block ? nullptr : &block.error(), grid ? nullptr : &grid.error(),
        cta ? nullptr : &cta.error(), space ? nullptr : &space.error(), kind ? nullptr : &kind.error(),
        cache ? nullptr : &cache.error()})
    if (bad != nullptr) return failure(*bad);
  q.dims = *dims, q.block = *block, q.grid = *grid, q.cta = *cta;
  q.space = *space, q.kind = *kind, q.cache = *cache, q.sm = sm;
  q.pitch = words.pitch, q.base = words.base, q.warp = words.warp, q.section = words.burst;
  return q;
}

} // namespace warplens::explain
