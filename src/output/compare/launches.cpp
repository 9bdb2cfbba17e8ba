// Launches in order, kernels by their names, and the k-th launches of each put together. See launches.h.
#include "compare/launches.h"
#include "text/lines.h"
#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>
#include <ranges>

namespace warplens::compare {
namespace {

using summary::Launch;
using text::is_word;

constexpr u64 most_launches = u64{1} << 24;

// Every launch of a side, in order; processes one after the other.
Result<std::vector<const Launch*>> in_order(const Side& side) {
  if (summary::count(side.input->launches) > most_launches)
    return failure(diag::error(
        "compare-too-large",
        fmt::format("'{}' has more launches than a comparison holds ({})", side.name, most_launches), {},
        "record fewer, e.g. with --launches or --kernel"));
  std::map<i64, u64> processes; // in order of appearance
  std::vector<std::tuple<u64, u64, const Launch*>> all;
  for (const summary::Launch& launch : side.input->launches)
    for (const summary::Occurrences& some : launch.when) {
      some.each_process([&](i64 one) {
        const u64 process = processes.try_emplace(one, processes.size()).first->second;
        for (u64 i = 0; i < some.count; ++i) all.emplace_back(process, some.first + i * some.step, &launch);
      });
    }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::tie(std::get<0>(a), std::get<1>(a)) < std::tie(std::get<0>(b), std::get<1>(b));
  });
  std::vector<const Launch*> out;
  for (const auto& [process, index, launch] : all) out.push_back(launch);
  return out;
}

const std::string& shown_name(const Launch& launch) {
  return launch.record.name.empty() ? launch.record.kernel : launch.record.name;
}

// Kernels of several sides: by the mangled name, where both know it, else by what is common to demangled ones.
class Kernels {
public:
  std::size_t of(const Launch& launch) {
    const std::string plain = plain_name(shown_name(launch));
    for (const std::string& key : {launch.record.kernel, plain})
      if (auto known = by_name_.find(key); known != by_name_.end())
        return remember(known->second, launch, plain);
    kernels.push_back({.name = shown_name(launch)});
    return remember(kernels.size() - 1, launch, plain);
  }
  std::vector<MatchedKernel> kernels;

private:
  std::size_t remember(std::size_t index, const Launch& launch, const std::string& plain) {
    by_name_.try_emplace(launch.record.kernel, index);
    by_name_.try_emplace(plain, index);
    return index;
  }
  std::map<std::string, std::size_t> by_name_;
};

using BySide = std::array<std::vector<const Launch*>, most_sides>;

// "sort<Traits>" of "facebook::cuda::sort<facebook::cuda::Traits>".
std::string without_namespaces(const std::string& name) {
  std::string out;
  for (const char c : plain_name(name)) {
    out += c;
    if (!out.ends_with("::")) continue;
    std::size_t begin = out.size() - 2;
    while (begin > 0 && is_word(out[begin - 1])) --begin;
    out.erase(begin);
  }
  return out;
}

// "a::b::k" -> a, b, k
std::vector<std::string_view> parts_of(std::string_view chain) {
  std::vector<std::string_view> out;
  for (std::size_t end = 0; end != chain.npos; chain.remove_prefix(end == chain.npos ? 0 : end + 2))
    out.push_back(chain.substr(0, end = chain.find("::")));
  return out;
}

// Is "a::k<T>" a way to write "a::b::k<c::T>"? Each name of it then has some of the other's namespaces, in their order.
bool abbreviates(std::string_view few, std::string_view many) {
  auto chain = [](std::string_view& rest) {
    std::size_t size = 0;
    while (size < rest.size() && (is_word(rest[size]) || rest[size] == ':')) ++size;
    const std::string_view out = rest.substr(0, size);
    rest.remove_prefix(size);
    return parts_of(out);
  };
  for (;; few.remove_prefix(1), many.remove_prefix(1)) {
    const std::vector<std::string_view> some = chain(few), all = chain(many);
    auto at = all.begin();
    for (std::string_view one : some) {
      at = std::find(at, all.end(), one);
      if (at == all.end()) return false;
      ++at;
    }
    if (at != all.end()) return false; // the last is the name itself
    if (few.empty() || many.empty()) return few.empty() && many.empty();
    if (few[0] != many[0]) return false;
  }
}

void remove_joined(std::vector<MatchedKernel>& kernels, std::vector<BySide>& launches,
                   const std::vector<bool>& joined) {
  for (std::size_t k = kernels.size(); k-- > 0;)
    if (joined[k])
      kernels.erase(kernels.begin() + static_cast<std::ptrdiff_t>(k)),
          launches.erase(launches.begin() + static_cast<std::ptrdiff_t>(k));
}

// Nsight Compute leaves out namespaces in what it prints. Two kernels of which one's name abbreviates the other's are one, where no
// side has both.
void join_across_namespaces(std::vector<MatchedKernel>& kernels, std::vector<BySide>& launches) {
  std::map<std::string, std::vector<std::size_t>> of_name;
  for (std::size_t k = 0; k < kernels.size(); ++k) of_name[without_namespaces(kernels[k].name)].push_back(k);
  std::vector<bool> joined(kernels.size());
  for (const auto& [name, same] : of_name) {
    auto on_side = [&](std::size_t s) {
      return std::ranges::count_if(same, [&](std::size_t k) { return !launches[k][s].empty(); });
    };
    if (!std::ranges::all_of(std::views::iota(std::size_t{0}, most_sides),
                             [&](auto s) { return on_side(s) <= 1; }))
      continue;
    const std::string first = plain_name(kernels[same[0]].name);
    for (std::size_t k : same | std::views::drop(1)) {
      const std::string other = plain_name(kernels[k].name);
      if (!abbreviates(first, other) && !abbreviates(other, first)) continue;
      for (std::size_t s = 0; s < most_sides; ++s)
        if (!launches[k][s].empty()) launches[same[0]][s] = std::move(launches[k][s]);
      joined[k] = true;
    }
  }
  remove_joined(kernels, launches, joined);
}

// "sort" of "a::(anonymous namespace)::sort<T>": what every demangler writes alike.
std::string bare_name(const std::string& demangled) {
  std::string name = plain_name(demangled);
  for (std::string_view unnamed : {"(anonymousnamespace)::", "<unnamed>::"})
    for (std::size_t at; (at = name.find(unnamed)) != name.npos;) name.erase(at, unnamed.size());
  name = name.substr(0, name.find('<'));
  const std::size_t scope = name.rfind("::");
  return scope == name.npos ? name : name.substr(scope + 2);
}

// Lambdas, namespaces and types without a name are written differently by each demangler.
bool has_unnamed(std::string_view demangled) {
  return std::ranges::any_of(std::array{"(anonymous", "<unnamed>", "lambda", "{unnamed"},
                             [&](std::string_view s) { return demangled.find(s) != demangled.npos; });
}

// Are they as many launches of the same sizes?
bool are_alike(const std::vector<const Launch*>& a, const std::vector<const Launch*>& b) {
  return std::ranges::equal(a, b, [](const Launch* x, const Launch* y) {
    return x->record.grid == y->record.grid && x->record.block == y->record.block;
  });
}

// Kernels with something unnamed that are left over on one side each, and of which the bare names, sizes and numbers of launches are
// alike, are one, in the order in which they are launched first.
void join_in_order(std::vector<MatchedKernel>& kernels, std::vector<BySide>& launches) {
  std::map<std::string, std::array<std::vector<std::size_t>, most_sides>> left; // by bare name
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    std::vector<std::size_t> on;
    for (std::size_t s = 0; s < most_sides; ++s)
      if (!launches[k][s].empty()) on.push_back(s);
    if (on.size() == 1 && has_unnamed(kernels[k].name)) left[bare_name(kernels[k].name)][on[0]].push_back(k);
  }
  std::vector<bool> joined(kernels.size());
  for (const auto& [name, sides] : left) {
    const std::vector<std::size_t>* first = nullptr;
    for (std::size_t s = 0; s < most_sides; ++s) {
      if (sides[s].empty()) continue;
      if (first == nullptr) {
        first = &sides[s];
        continue;
      }
      const std::size_t first_side = static_cast<std::size_t>(
          std::ranges::find_if(launches[(*first)[0]], [](const auto& l) { return !l.empty(); }) -
          launches[(*first)[0]].begin());
      if (!std::ranges::equal(*first, sides[s], [&](std::size_t a, std::size_t b) {
            return are_alike(launches[a][first_side], launches[b][s]);
          }))
        continue;
      for (std::size_t i = 0; i < first->size(); ++i) {
        launches[(*first)[i]][s] = std::move(launches[sides[s][i]][s]);
        joined[sides[s][i]] = true;
      }
    }
  }
  remove_joined(kernels, launches, joined);
}

// The k-th launches of all sides, those that are alike on each together.
std::vector<Match> matches_of(const BySide& sides) {
  std::map<std::array<const Launch*, most_sides>, std::size_t> known;
  std::vector<Match> out;
  std::size_t most = 0;
  for (const auto& side : sides) most = std::max(most, side.size());
  for (std::size_t k = 0; k < most; ++k) {
    Match match{.first = k};
    for (std::size_t s = 0; s < most_sides; ++s)
      if (k < sides[s].size()) match.launch[s] = sides[s][k];
    auto [place, fresh] = known.try_emplace(match.launch, out.size());
    if (fresh)
      out.push_back(match);
    else
      ++out[place->second].count;
  }
  return out;
}

} // namespace

// A template's arguments as numbers alone: "f<256u, true, (E)2>" and "f<256, 1, 2>" are one. Without blanks.
static std::string with_plain_numbers(std::string_view name) {
  std::string out;
  i32 depth = 0;
  for (std::size_t i = 0; i < name.size();) {
    const char before = out.empty() ? ' ' : out.back();
    const std::string_view rest = name.substr(i);
    const bool begins = depth > 0 && (before == '<' || before == ',');
    if (begins && rest[0] == '(')
      if (const std::size_t end = rest.find(')');
          end != rest.npos && end + 1 < rest.size() &&
          (std::isdigit(static_cast<unsigned char>(rest[end + 1])) != 0 || rest[end + 1] == '-')) {
        i += end + 1;
        continue;
      }
    std::size_t size = 1;
    while (is_word(rest[0]) && size < rest.size() && is_word(rest[size])) ++size;
    std::string_view word = rest.substr(0, size);
    if (depth > 0 && (begins || before == '-')) {
      if (word == "true") word = "1";
      if (word == "false") word = "0";
      if (std::isdigit(static_cast<unsigned char>(word[0])) != 0)
        word = word.substr(0, word.find_last_not_of("uUlL") + 1);
    }
    if (word == "<") ++depth;
    if (word == ">") --depth;
    out += word;
    i += size;
  }
  return out;
}

std::string plain_name(const std::string& demangled) {
  std::string_view name = demangled;
  // The parameters are the last pair of round brackets outside of template arguments; "(anonymous namespace)::" is none.
  i32 depth = 0;
  std::size_t end = name.size();
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    if (name[i] == '(' && depth == 0 && !name.substr(i).starts_with("(anonymous")) {
      end = i;
      break;
    }
  }
  name = name.substr(0, end);
  depth = 0;
  std::size_t begin = 0; // behind the return type: the last blank outside of all brackets
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<' || name[i] == '(') ++depth;
    if (name[i] == '>' || name[i] == ')') --depth;
    if (name[i] == ' ' && depth == 0) begin = i + 1;
  }
  std::string out;
  for (char c : name.substr(begin))
    if (c != ' ') out += c;
  return with_plain_numbers(out);
}

Result<std::vector<MatchedKernel>> match_launches(const std::vector<Side>& sides) {
  Kernels kernels;
  std::vector<BySide> launches; // by kernel
  const bool is_any_measured = std::ranges::any_of(sides, &Side::measured);
  for (std::size_t s = 0; s < sides.size(); ++s) {
    Result<std::vector<const Launch*>> ordered = in_order(sides[s]);
    if (!ordered) return failure(ordered.error());
    for (const Launch* launch : *ordered) {
      if (is_any_measured && launch->record.status == measure::Status::refused)
        continue; // no profiler has one
      const std::size_t kernel = kernels.of(*launch);
      launches.resize(kernels.kernels.size());
      launches[kernel][s].push_back(launch);
    }
  }
  join_across_namespaces(kernels.kernels, launches);
  join_in_order(kernels.kernels, launches);
  for (std::size_t k = 0; k < kernels.kernels.size(); ++k) {
    for (std::size_t s = 0; s < most_sides; ++s) kernels.kernels[k].launches[s] = launches[k][s].size();
    kernels.kernels[k].matches = matches_of(launches[k]);
  }
  return std::move(kernels.kernels);
}

} // namespace warplens::compare
