// The page of check: each access that was judged is one warp of it, as aligned as can be where its lanes are known, else the
// dearest that there may be; and beside it what holds for all launches. What is fine, or not known, is no waste.
#include "arch/count.h"
#include "check/words.h"
#include "driver/findings/gates.h"
#include "driver/pages/access_page.h"
#include "text/lines.h"
#include <filesystem>
#include <fmt/format.h>
#include <tuple>

namespace warplens::driver {
namespace {

using check::Judgement;
using check::Verdict;
using Standing = html::Judged::Standing;
using Rows = std::vector<const arch::Architecture*>;

bool is_known(const Judgement& j) {
  return j.verdict != Verdict::unknown && j.verdict != Verdict::not_judged;
}

Standing standing_of(const Judgement& j) {
  if (!is_known(j)) return Standing::undecided;
  if (check::is_fine(j.verdict)) return j.conditional ? Standing::conditional : Standing::fine;
  return j.verdict != Verdict::scattered && j.exact && !j.any_subset ? Standing::costly : Standing::possible;
}

// One warp of it, on one architecture, where no lanes are known: the most that it may pay.
arch::Counts dearest(const Judgement& j, const check::Costs& costs) {
  arch::Counts out;
  out.instructions = 1;
  out.threads = warp_size;
  out.requests = j.space == access::Space::constant ? costs.requests.most : 1;
  out.tags = costs.tags.most;
  if (j.space == access::Space::shared)
    out.wavefronts = costs.wavefronts.most, out.ideal_wavefronts = j.needed;
  else
    out.sectors = costs.sectors.most, out.ideal_sectors = j.needed;
  return out;
}

// What costs nothing beyond need, or is not known to.
void without_excess(arch::Counts& counts) {
  counts.instructions = std::max(counts.instructions, counts.requests); // of constant memory
  counts.ideal_sectors = counts.sectors;
  counts.ideal_wavefronts = counts.wavefronts;
}

measure::SiteRecord record_of(const Judgement& j, u32 number, const Rows& rows) {
  measure::SiteRecord out;
  out.site = j.site;
  out.site.id = access::SiteId{number};
  out.space = j.space;
  if (!j.array.empty() && out.site.array.name.empty()) out.site.array = {access::ArrayKind::device, j.array};
  out.counters.resize(rows.size());
  if (j.verdict == Verdict::never_executed) return out;
  for (std::size_t a = 0; a < rows.size(); ++a)
    out.counters[a] = j.example            ? arch::count(*rows[a], *j.example)
                      : a < j.costs.size() ? dearest(j, j.costs[a])
                                           : arch::Counts{.instructions = 1, .requests = 1};
  if (j.example) {
    out.distribution.classes.push_back(measure::class_of(*j.example, 1, *rows[0]));
    out.pattern = measure::pattern_of(out.distribution);
  }
  if (!is_known(j) || check::is_fine(j.verdict))
    for (arch::Counts& counts : out.counters) without_excess(counts);
  return out;
}

html::Judged judged_of(const Judgement& j) {
  html::Judged out;
  out.standing = standing_of(j);
  out.verdict = std::string(check::name(j.verdict));
  out.words = check::lanes_text(j, ":");
  for (const check::Costs& costs : j.costs)
    out.bounds.emplace_back(check::paid(costs, j.space).least, check::paid(costs, j.space).most);
  out.needed = j.needed;
  out.any_stride = j.dependence == check::Dependence::stride;
  out.conditions = check::texts(j.conditions);
  for (check::Remark& remark : check::remarks(j))
    if (remark.kind != check::Remark::Kind::place) out.notes.push_back(std::move(remark.text));
  return out;
}

// The page says the change that the findings say. Advice that was made for a stride by which a warp is drawn gives that number
// where the code has none.
void say_as_found(summary::Model& model, const std::vector<Judgement>& all) {
  for (summary::Kernel& kernel : model.kernels)
    for (summary::Line& line : kernel.lines)
      for (summary::AccessRow& row : line.rows) {
        const Judgement& j = all[row.site.id.value];
        for (advise::Advice& advice : row.advice) {
          if (j.advice && j.advice->rule == advice.rule)
            advice.change = j.advice->change, advice.example = j.advice->example;
          if (j.dependence == check::Dependence::stride)
            advice.title = check::pattern_text(j), advice.cause.clear();
        }
      }
}

// What blocks of another shape make worse is a note at the access: [of those that are shown] → the notes.
using OtherShapes = std::map<std::tuple<std::string, std::string, u32>, std::vector<std::string>>;

std::tuple<std::string, std::string, u32> key_of(const Judgement& j) {
  return {j.kernel, j.site.frames.empty() ? "" : j.site.frames.front().file, j.site.ptx_line};
}

OtherShapes other_shapes(const std::vector<Judgement>& all) {
  OtherShapes out;
  for (const Judgement& j : all)
    if (j.other_shape && !j.costs.empty())
      out[key_of(j)].push_back(
          fmt::format("in {}: {}, {}", check::text(j.blocks), check::name(j.verdict), check::cost_text(j)));
  return out;
}

} // namespace

Result<std::string> check_page(const std::vector<std::string>& inputs, const Examined& examined,
                               SourceTexts& sources, std::string_view version) {
  const std::vector<Judgement>& all = examined.judgements;
  summary::Input input;
  input.command = {"warplens", "check"};
  for (const std::string& file : inputs)
    input.command.push_back(file == "-" ? file : std::filesystem::path(file).filename().string());
  for (const arch::Architecture* row : examined.architectures) input.sm.push_back(row->sm);
  input.messages = examined.list.gaps;
  std::map<std::string, std::size_t> launches; // by kernel
  for (u32 i = 0; i < all.size(); ++i) {
    if (all[i].other_shape) continue;
    auto [found, fresh] = launches.try_emplace(all[i].kernel, input.launches.size());
    if (fresh) {
      measure::LaunchRecord launch;
      launch.kernel = launch.name = all[i].kernel;
      launch.sm = input.sm;
      input.launches.emplace_back(std::move(launch));
    }
    input.launches[found->second].record.sites.push_back(record_of(all[i], i, examined.architectures));
  }
  const auto text_of = [&](const std::string& file) { return std::string(sources.text(from_here(file))); };
  std::map<std::string, std::vector<std::string_view>> lines;
  const auto line_of = [&](const std::string& file, u32 number) {
    auto [known, fresh] = lines.try_emplace(file);
    if (fresh) known->second = text::lines_of(sources.text(from_here(file)));
    return text::line_at(known->second, number);
  };
  summary::Options options;
  options.root = std::filesystem::current_path().string();
  Result<summary::Model> model = summary::build(std::move(input), line_of, options);
  if (!model) return failure(model.error());
  say_as_found(*model, all);
  const OtherShapes others = other_shapes(all);
  html::About about{html::Origin::check, [&](const access::Site& site) -> std::optional<html::Judged> {
                      const Judgement& j = all[site.id.value];
                      html::Judged out = judged_of(j);
                      if (auto found = others.find(key_of(j)); found != others.end())
                        out.notes.insert(out.notes.end(), found->second.begin(), found->second.end());
                      return out;
                    }};
  return html::page(*model, text_of, version, about);
}

} // namespace warplens::driver
