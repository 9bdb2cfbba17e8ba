// The pages of replay and explain: accesses whose lanes are known, counted by the collector that counts those of a run.
#include "arch/table.h"
#include "driver/pages/access_page.h"
#include "measure/collect.h"
#include "os/file.h"
#include "summary/findings.h"
#include "text/lines.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace warplens::driver {

// The counter of one access, whatever executes it.
class CountedAccess {
public:
  CountedAccess(access::Site site, const std::vector<const arch::Architecture*>& rows)
      : site_(std::move(site)), collector_(rows, std::span(&site_, 1), 1) {}
  CountedAccess(const CountedAccess&) = delete;

  void add(const access::WarpAccess& warp) {
    access::LaneBatch batch;
    static_cast<access::AccessHeader&>(batch) = warp;
    batch.site = site_.id;
    batch.cta = warps_++;
    batch.active = std::span(&warp.active, 1);
    batch.address = warp.address.data();
    collector_.sinks()[0]->lanes(batch);
  }

  std::vector<measure::SiteRecord> finish() { return collector_.finish(); }

private:
  access::Site site_; // the collector refers to it
  measure::Collector collector_;
  u64 warps_ = 0;
};

namespace {

using Rows = std::vector<const arch::Architecture*>;

constexpr std::size_t most_accesses = 5000; // that a page has
constexpr std::size_t longest_text = std::size_t{1} << 20;

std::vector<u32> numbers_of(const Rows& rows) {
  std::vector<u32> out;
  for (const arch::Architecture* row : rows) out.push_back(row->sm);
  return out;
}

access::Site site_of(const access::AccessHeader& header, std::string opcode, access::SourceFrame at) {
  access::Site out;
  out.id = access::SiteId{0u};
  out.opcode = std::move(opcode);
  out.frames = {std::move(at)};
  out.space = header.space, out.kind = header.kind, out.cache = header.cache;
  out.bytes = header.bytes, out.matrices = header.matrices;
  return out;
}

std::string words_of(const access::AccessHeader& header) {
  return fmt::format("{} {} of {} bytes", access::name(header.space), access::name(header.kind),
                     header.bytes);
}

// A launch of what was counted. Sites of one launch have numbers of their own.
summary::Launch launch_of(const std::string& name, const std::vector<u32>& sm,
                          std::vector<measure::SiteRecord> sites) {
  measure::LaunchRecord out;
  out.kernel = out.name = name;
  out.grid = out.block = {1, 1, 1};
  out.sm = sm;
  for (u32 i = 0; i < sites.size(); ++i) sites[i].site.id = access::SiteId{i};
  out.sites = std::move(sites);
  return summary::Launch(std::move(out));
}

// A page of one launch; `text`: what its sites lie in. `change` is given the model.
Result<std::string> page_of(summary::Input input, const std::string& text, html::Origin origin,
                            std::string_view version, auto&& change) {
  const auto text_of = [&](const std::string&) { return text; };
  const std::vector<std::string_view> lines = text::lines_of(text);
  const auto line_of = [&](const std::string&, u32 number) { return text::line_at(lines, number); };
  Result<summary::Model> model = summary::build(std::move(input), line_of, {});
  if (!model) return failure(model.error());
  change(*model);
  return html::page(*model, text_of, version, {origin, {}});
}

} // namespace

struct ReplayPage::Group {
  Group(access::Site site, const Rows& rows) : counted(std::move(site), rows) {}
  CountedAccess counted;
};

ReplayPage::ReplayPage(std::string path, Rows rows) : path_(std::move(path)), rows_(std::move(rows)) {}
ReplayPage::~ReplayPage() = default;

void ReplayPage::add(const trace::Record& record) {
  const access::WarpAccess& access = record.access;
  const std::string name = fmt::format("{} {} {}", record.text.empty() ? record.id : record.text,
                                       words_of(access), static_cast<u32>(access.cache));
  auto [found, fresh] = by_name_.try_emplace(name, groups_.size());
  if (fresh && groups_.size() == most_accesses) {
    by_name_.erase(found);
    ++left_out_;
    return;
  }
  if (fresh)
    groups_.push_back(std::make_unique<Group>(
        site_of(access, record.text.empty() ? words_of(access) : record.text,
                {path_ == "-" ? "standard input" : path_, static_cast<u32>(record.line), 0, {}}),
        rows_));
  groups_[found->second]->counted.add(access);
}

Result<std::string> ReplayPage::page(std::string_view version) {
  std::vector<measure::SiteRecord> sites;
  for (std::unique_ptr<Group>& group : groups_)
    for (measure::SiteRecord& record : group->counted.finish())
      if (!record.site.frames.empty()) sites.push_back(std::move(record)); // the rest: of no site
  const std::string name = path_ == "-" ? "standard input" : std::filesystem::path(path_).filename().string();
  summary::Input input;
  input.command = {"warplens", "replay", name};
  input.sm = numbers_of(rows_);
  if (!sites.empty()) input.launches.push_back(launch_of(name, input.sm, std::move(sites)));
  if (left_out_ != 0)
    input.messages.push_back(
        diag::warning("page-left-out",
                      fmt::format("{} of the file are not on this page, which has the first {} that differ",
                                  left_out_, most_accesses),
                      {}, "the table and --json have all of them"));
  const std::string text = path_ == "-" ? "" : os::read_file(path_, longest_text).value_or("");
  return page_of(std::move(input), text, html::Origin::replay, version, [](summary::Model&) {});
}

namespace {

// What was asked, as source: definitions, then the access.
std::string question_text(const explain::Explanation& e) {
  auto size = [](Dim3 d) { return fmt::format("{}, {}, {}", d.x, d.y, d.z); };
  std::string out =
      fmt::format("// blockDim = ({}), gridDim = ({}), blockIdx = ({}), {}\n", size(e.question.block),
                  size(e.question.grid), size(e.question.cta), e.question.type);
  for (const auto& [name, value] : e.question.settings) out += fmt::format("{} = {};\n", name, value);
  if (!e.question.condition.empty()) out += fmt::format("if ({})\n", e.question.condition);
  return out + fmt::format("{};\n", e.question.access);
}

access::ArrayKind array_kind(access::Space space) {
  return space == access::Space::shared     ? access::ArrayKind::shared
         : space == access::Space::constant ? access::ArrayKind::constant
         : space == access::Space::local    ? access::ArrayKind::local
                                            : access::ArrayKind::device;
}

// The asked architecture first.
Rows rows_of(const explain::Explanation& e) {
  Rows out{arch::find(e.question.sm)};
  for (const explain::ArchitectureCounts& other : e.others)
    if (const arch::Architecture* row = arch::find(other.sm); row != nullptr && row != out[0])
      out.push_back(row);
  return out;
}

// The fixes of an expression know more than lanes do: they take the place of what the lanes alone tell.
void take_fixes(summary::Model& model, const std::vector<advise::Advice>& fixes) {
  for (summary::Kernel& kernel : model.kernels)
    for (summary::Line& line : kernel.lines)
      for (std::size_t r = 0; r < line.rows.size(); ++r) {
        summary::AccessRow& row = line.rows[r];
        row.advice = r == 0 ? fixes : std::vector<advise::Advice>();
        row.effects.assign(row.advice.size(), {});
        for (std::size_t i = 0; i < row.advice.size(); ++i) {
          const advise::Advice& fix = row.advice[i];
          row.effects[i].resize(kernel.sm.size());
          row.effects[i][0] = {advise::value(fix.metric, fix.before), advise::value(fix.metric, fix.after)};
        }
      }
  model.totals.clear(), model.findings.clear(), model.lines.clear();
  model.excess_bytes = model.moved_bytes = model.excess_cycles = 0;
  summary::find_causes(model);
}

} // namespace

Result<std::string> explain_page(const explain::Explanation& e, std::string_view version) {
  const Rows rows = rows_of(e);
  const std::string text = question_text(e), file = "expression";
  const u32 line = static_cast<u32>(std::count(text.begin(), text.end(), '\n'));
  std::vector<measure::SiteRecord> sites;
  for (const explain::Piece& piece : e.manner.pieces) {
    const access::WarpAccess first = access_of(e.footprint, e.manner, piece, 0);
    access::Site site = site_of(first, words_of(first), {file, line, 0, {}});
    site.array.kind = e.array.empty() ? access::ArrayKind::unknown : array_kind(site.space);
    site.array.name = e.array;
    CountedAccess counted(std::move(site), rows);
    for (u32 warp = 0; warp < explain::warps(e.footprint); ++warp)
      if (access::WarpAccess one = access_of(e.footprint, e.manner, piece, warp); one.active != 0)
        counted.add(one);
    for (measure::SiteRecord& record : counted.finish())
      if (!record.site.frames.empty()) sites.push_back(std::move(record));
  }
  summary::Input input;
  input.command = {"warplens", "explain", e.question.access};
  input.sm = numbers_of(rows);
  input.messages = e.warnings;
  if (e.fault) input.messages.push_back(*e.fault);
  for (diag::Diagnostic& message : input.messages) message.span = {}; // of the command line's words
  input.launches.push_back(launch_of(e.question.access, input.sm, std::move(sites)));
  return page_of(std::move(input), text, html::Origin::explain, version,
                 [&](summary::Model& model) { take_fixes(model, e.fixes); });
}

} // namespace warplens::driver
