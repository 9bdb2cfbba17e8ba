// Groups of equal keys, the strictest key first; then lines that were edited, by their words. See partners.h.
#include "gates/partners.h"
#include "source/tokens.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace warplens::gates {
namespace {

// "void ns::k<float>(float*)" → "ns::k": what stays when the arguments of a template change. Of several the first.
std::string plain_name(std::string_view name) {
  constexpr std::string_view call = "operator()", nameless = "(anonymous namespace)";
  std::string out;
  u32 depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const std::string_view rest = name.substr(i), whole = rest.starts_with(call) ? call : nameless;
    if (depth == 0 && rest.starts_with(whole)) {
      out += whole;
      i += whole.size() - 1;
    } else if (name[i] == '<' || name[i] == '{') {
      ++depth;
    } else if (name[i] == '>' || name[i] == '}') {
      depth -= depth != 0;
    } else if (depth == 0) {
      if (name[i] == '(' || name[i] == ',') break;
      if (name[i] == ' ')
        out.clear(); // before it stood the type that is returned
      else
        out += name[i];
    }
  }
  return out;
}

// Which part of the shorter line's words the longer one has, too, in that order.
double likeness(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
  const std::size_t shorter = std::min(a.size(), b.size());
  constexpr std::size_t longest = 1000; // of what a person wrote
  if (shorter == 0 || std::max(a.size(), b.size()) > longest) return 0;
  std::vector<std::size_t> common(b.size() +
                                  1); // with the words of `a` so far: the longest with b's first ones
  for (std::string_view word : a)
    for (std::size_t j = 0, before = 0; j < b.size(); ++j) {
      const std::size_t above = common[j + 1];
      common[j + 1] = word == b[j] ? before + 1 : std::max(above, common[j]);
      before = above;
    }
  return static_cast<double>(common.back()) / static_cast<double>(shorter);
}

// What findings are compared by, each made once.
struct Traits {
  const Known* known;
  std::string text, function, costs;   // the text: of the line, without blanks and comments
  std::vector<std::string_view> words; // of that line: names and numbers
  explicit Traits(const Known& k)
      : known(&k), text(k.source.empty() ? "\n" + k.kernel : ""),
        function(plain_name(k.function.empty() ? k.kernel : k.function)) {
    const source::Tokens tokens(k.source);
    for (const source::Token& token : tokens.all()) {
      text += token.text;
      if (token.word() || token.kind == source::Token::Kind::number) words.push_back(token.text);
    }
    for (const Known::Value& value : k.values)
      costs += fmt::format("{} {} {:.6g} ", value.sm, value.counter, value.value);
  }
};

// Which known finding each found one is: known.size() for none.
struct Partners {
  std::vector<Traits> known, found;
  std::vector<std::size_t> of;
  std::vector<bool> taken;
  Partners(std::vector<Traits> k, std::vector<Traits> f)
      : known(std::move(k)), found(std::move(f)), of(found.size(), known.size()), taken(known.size()) {}

  void join(std::size_t f, std::size_t k) {
    of[f] = k;
    taken[k] = true;
  }
  u32 line_of_known(std::size_t k) const { return known[k].known->line; }
  u32 line_of_found(std::size_t f) const { return found[f].known->line; }

  // Those that have none, in groups of equal key: known ones, and found ones.
  using Indices = std::vector<std::size_t>;
  template <class Key> auto groups(Key&& key) const {
    std::map<decltype(key(std::declval<const Traits&>())), std::pair<Indices, Indices>> out;
    for (std::size_t k = 0; k < known.size(); ++k)
      if (!taken[k]) out[key(known[k])].first.push_back(k);
    for (std::size_t f = 0; f < found.size(); ++f)
      if (of[f] == known.size())
        if (auto group = out.find(key(found[f])); group != out.end()) group->second.second.push_back(f);
    return out;
  }

  // Of each group first where the lines are the same, then in the order of their lines.
  template <class Key> void pair_up(Key&& key) {
    for (auto& [_, group] : groups(key)) {
      auto& [ks, fs] = group;
      std::ranges::stable_sort(ks, {}, [&](std::size_t k) { return line_of_known(k); });
      std::ranges::stable_sort(fs, {}, [&](std::size_t f) { return line_of_found(f); });
      std::multimap<u32, std::size_t> by_line;
      for (std::size_t k : ks) by_line.emplace(line_of_known(k), k);
      for (std::size_t f : fs)
        if (auto same_line = by_line.find(line_of_found(f)); same_line != by_line.end()) {
          join(f, same_line->second);
          by_line.erase(same_line);
        }
      auto left = by_line.begin();
      for (std::size_t f : fs)
        if (of[f] == known.size() && left != by_line.end()) join(f, (left++)->second);
    }
  }

  // Where the known finding's line is now, as far as those around it that were found again tell.
  i64 expected_line(std::size_t k) const {
    i64 nearest = -1, shift = 0;
    for (std::size_t f = 0; f < found.size(); ++f) {
      if (of[f] == known.size() || found[f].known->file != known[k].known->file ||
          known[of[f]].known->file != known[k].known->file)
        continue;
      const i64 before = line_of_known(of[f]), distance = std::abs(before - i64{line_of_known(k)});
      if (nearest != -1 && distance >= nearest) continue;
      nearest = distance;
      shift = i64{line_of_found(f)} - before;
    }
    return i64{line_of_known(k)} + shift;
  }

  // What stands on the line of one that has a partner, with the same rule and array, is known by the same: compilers differ in
  // how many columns they give to a line, so that one makes several findings of what is one to another.
  void share_lines() {
    auto key = [](const Traits& t) {
      return std::tuple(t.known->rule, t.known->file, t.known->line, t.text, t.known->array);
    };
    std::map<decltype(key(found[0])), std::size_t> known_by;
    for (std::size_t f = 0; f < found.size(); ++f)
      if (of[f] != known.size()) known_by.emplace(key(found[f]), of[f]);
    for (std::size_t f = 0; f < found.size(); ++f)
      if (auto partner = known_by.find(key(found[f])); of[f] == known.size() && partner != known_by.end())
        of[f] = partner->second;
  }

  // Lines of one function that were edited, the most alike first.
  void pair_edited() {
    constexpr double enough = 0.5, enough_of_any_array = 0.7; // more than that
    struct Candidate {
      double likeness = 0;
      i64 distance = 0;
      std::size_t f = 0, k = 0;
    };
    std::vector<Candidate> all;
    for (auto& [_, group] :
         groups([](const Traits& t) { return std::tuple(t.known->rule, t.known->file, t.function); }))
      for (std::size_t k : group.second.empty() ? Indices() : group.first) {
        const i64 expected = expected_line(k);
        for (std::size_t f : group.second) {
          const Known &before = *known[k].known, &now = *found[f].known;
          if (before.source.empty() || now.source.empty()) continue;
          if (before.array != now.array && !before.array.empty() && !now.array.empty()) continue;
          const Candidate one{likeness(known[k].words, found[f].words), std::abs(i64{now.line} - expected), f,
                              k};
          const bool same_array = !before.array.empty() && before.array == now.array;
          if (one.likeness > (same_array ? enough : enough_of_any_array) || (same_array && one.distance == 0))
            all.push_back(one);
        }
      }
    std::ranges::stable_sort(all, {}, [](const Candidate& c) { return std::pair(-c.likeness, c.distance); });
    for (const Candidate& c : all)
      if (of[c.f] == known.size() && !taken[c.k]) join(c.f, c.k);
  }
};

} // namespace

std::vector<std::size_t> partners_of(const std::vector<Known>& known, const std::vector<Known>& found) {
  Partners partners({known.begin(), known.end()}, {found.begin(), found.end()});
  auto line = [](const Traits& t) { return std::tuple(t.known->rule, t.known->file, t.text); };
  auto place = [&](const Traits& t) { return std::tuple(line(t), t.function, t.known->array); };
  partners.pair_up([&](const Traits& t) { return std::tuple(place(t), t.costs); });
  partners.pair_up(place);
  partners.pair_up(line);
  partners.pair_edited();
  partners.pair_up([](const Traits& t) { return std::tuple(t.known->rule, t.text); });
  partners.share_lines();
  return partners.of;
}

} // namespace warplens::gates
