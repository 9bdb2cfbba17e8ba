// The explanation in words and characters: what was asked, the answer to "is it coalesced", the picture, what
// it costs here and on other architectures, and what would help.
//
// The picture: one row per 128-byte line that the warp touches (shared memory: per row of banks), one cell
// per word; in a cell the lane that asks for it, `·` where a word travels and nobody asked, nothing where it
// stays in memory.
#include "arch/table.h"
#include "explain/view/costs.h"
#include "explain/view/picture.h"
#include "explain/view/summary.h"
#include "explain/view/theme.h"
#include "findings/words.h"
#include "text/words.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace warplens::explain {
namespace {

using access::Space;

constexpr u32 page = 98;                      // columns
constexpr std::size_t most_picture_rows = 12; // of a picture, before it is cut in the middle

std::string shape(Dim3 d, const Theme& ink) {
  std::string out = fmt::format("{}", d.x);
  if (d.y != 1 || d.z != 1) out += fmt::format("{}{}", ink.times(), d.y);
  if (d.z != 1) out += fmt::format("{}{}", ink.times(), d.z);
  return out;
}

std::string heading(const Explanation& e, const Theme& ink) {
  const Question& q = e.question;
  std::string type = e.accessed.name.empty() ? std::string() : e.accessed.name + ", ";
  std::string out =
      fmt::format("{}   {}{}, {} {} {} memory\n", ink.bold(q.access), type, plural(e.accessed.size, "byte"),
                  access::name(q.kind), q.kind == access::Kind::load ? "from" : "to", access::name(q.space));
  std::string where = fmt::format("warp {} of a block of {} threads", q.warp, shape(q.block, ink));
  if (q.grid.count() > 1)
    where +=
        fmt::format(", block ({}, {}, {}) of a grid of {}", q.cta.x, q.cta.y, q.cta.z, shape(q.grid, ink));
  for (const auto& [name, value] : q.settings) where += fmt::format(", {} = {}", name, value);
  if (!q.condition.empty()) where += fmt::format(", only where {}", q.condition);
  if (q.base != 0) where += fmt::format(", {} starts {} after a boundary", e.array, plural(q.base, "byte"));
  if (q.pitch != 0) where += fmt::format(", rows {} bytes apart", q.pitch);
  out += text::wrap(fmt::format("{}; compute capability {}", where, text::compute_capability(q.sm)), page) +
         "\n";
  std::string assumed;
  for (const auto& [name, meaning] : e.assumed)
    assumed += fmt::format("{}{} = {}", assumed.empty() ? "assumed: " : ", ", name, meaning);
  if (!assumed.empty())
    out += text::wrap(fmt::format("{} (--set '{}=…' changes it)", assumed, e.assumed[0].first), page) + "\n";
  return out;
}

// The question of the other spaces is not the one of device memory: shared memory asks for banks, constant and local memory
// whether all lanes use one index.
std::string form_of_space(const Explanation& e, const Theme& ink, u32 columns) {
  const bool shared = e.question.space == Space::shared, constant = e.question.space == Space::constant;
  const bool good = shared     ? e.warp.wavefronts <= e.warp.ideal_wavefronts
                    : constant ? e.warp.requests <= e.warp.instructions
                               : e.warp.sectors <= e.warp.ideal_sectors;
  std::string text;
  if (shared)
    text = good ? fmt::format("{} no: no bank is asked for two different words in a pass", ink.yes())
                : fmt::format("{} yes: {} where {} would do", ink.no(), plural(e.warp.wavefronts, "pass"),
                              e.warp.ideal_wavefronts);
  else if (good)
    text = fmt::format("{} yes: {}", ink.yes(),
                       constant ? "one request serves the warp"
                                : "the threads' copies of an element lie side by side");
  else
    text = constant ? fmt::format("{} no: {}, one for each different address", ink.no(),
                                  plural(e.warp.requests, "request"))
                    : fmt::format("{} no: the lanes go to different elements, which lie in different sectors",
                                  ink.no());
  return ink.bold(shared ? "Do lanes want different words of one bank?"
                         : "Is the index the same in all lanes?") +
         "\n  index = " + e.form.index.substr(0, 200) + (e.form.in_bytes ? " bytes" : "") + "\n  " +
         text::wrap(good ? ink.good(text) : ink.bad(text), columns, "  ") + "\n";
}

std::string form_words(const Explanation& e, const Theme& ink, u32 columns) {
  if (e.question.space == Space::shared || e.question.space == Space::constant ||
      e.question.space == Space::local)
    return form_of_space(e, ink, columns);
  const Form& f = e.form;
  std::string unit = f.in_bytes ? " bytes" : "";
  std::string index =
      fmt::format("  index = {}{}\n", f.index.size() > 200 ? f.index.substr(0, 200) + "…" : f.index, unit);
  std::string factor =
      f.coefficient.find(' ') == f.coefficient.npos ? f.coefficient : "(" + f.coefficient + ")";
  std::string split = f.kind == FormKind::other ? ""
                                                : fmt::format("        = ({}) + {}threadIdx.x\n", f.rest,
                                                              f.coefficient == "1" ? "" : factor + "*");
  std::string out;
  switch (f.kind) {
  case FormKind::consecutive:
    out = ink.good(fmt::format("{} yes", ink.yes())) +
          ": (term independent of threadIdx.x) + threadIdx.x, so neighbouring threads access neighbours";
    break;
  case FormKind::uniform:
    out = ink.good(fmt::format("{} uniform", ink.yes())) +
          ": threadIdx.x does not occur, so threads that differ only in it access one address";
    if (e.question.space == Space::global && e.warp.threads > 1 && e.warp.transactions >= e.warp.threads)
      out += ink.bad("; this architecture still makes a transaction for every lane");
    split.clear();
    break;
  case FormKind::strided:
    if (f.coefficient == "1") {
      out = ink.bad(fmt::format("{} no", ink.no())) +
            fmt::format(": the index is consecutive, but elements are {} apart and {} of each {} used",
                        plural(static_cast<u64>(f.step < 0 ? -f.step : f.step), "byte"),
                        plural(e.accessed.size, "byte"), e.accessed.size == 1 ? "is" : "are");
      break;
    }
    out = ink.bad(fmt::format("{} no", ink.no())) +
          fmt::format(": the factor of threadIdx.x is not 1; neighbouring threads are {} apart",
                      plural(static_cast<u64>(f.step < 0 ? -f.step : f.step), "byte"));
    if (f.step < 0) out += ", downwards";
    break;
  case FormKind::other:
    out = ink.bad(fmt::format("{} no", ink.no())) +
          ": threadIdx.x occurs, but not as a multiple added to the rest";
    break;
  }
  if (f.kind == FormKind::consecutive && e.manner.pieces.size() > 1)
    out += fmt::format("; but one element takes {} instructions, each with gaps between the lanes",
                       e.manner.pieces.size());
  else if (f.kind == FormKind::consecutive && f.rows == 1 && efficiency(e, e.warp) < 1)
    out += "; what travels unused is lost to where they start, or to lanes that take no part";
  std::string rows;
  if (f.rows > 1)
    rows = fmt::format("  The warp holds {} rows of the block: threadIdx.x alone does not decide.\n", f.rows);
  return ink.bold("Is the index (term independent of threadIdx.x) + threadIdx.x?") + "\n" + index + split +
         "  " + text::wrap(out, columns, "  ") + "\n" + rows;
}

// ---- the picture

std::string cell_text(const Picture& picture, const PictureRow& row, std::size_t i, const Theme& ink) {
  u32 lanes = row.cells[i].lanes;
  char symbol = lane_symbol(lanes);
  if (lanes != 0) return ink.lane(static_cast<u32>(std::countr_zero(lanes)), std::string(1, symbol));
  bool travels = picture.kind == Picture::Kind::segments && row.fetched[i / picture.cells_per_group] != 0;
  return travels ? ink.faint(ink.unused()) : " ";
}

std::string row_text(const Picture& picture, const PictureRow& row, u32 label, const Theme& ink) {
  std::string out = "  " + pad_left(bytes_text(picture, row, ink.dash()), label) + " ";
  bool wide = row.cells.size() <= 32;
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    if (i % picture.cells_per_group == 0) out += ink.bar();
    out += cell_text(picture, row, i, ink);
    if (wide && i % picture.cells_per_group + 1 != picture.cells_per_group) out += ' ';
  }
  out += ink.bar();
  if (picture.kind == Picture::Kind::segments)
    out += fmt::format(" {} of {} B", row.used_bytes, row.fetched_bytes);
  return out + "\n";
}

std::string bank_footer(const Picture& picture, u32 label, const Theme& ink) {
  u32 worst = *std::max_element(picture.per_bank.begin(), picture.per_bank.end());
  std::string words = "  " + pad_left("words", label) + " ", numbers = "  " + pad_left("bank", label) + " ";
  words += ink.bar();
  numbers += ' ';
  for (std::size_t bank = 0; bank < picture.per_bank.size(); ++bank) {
    u32 count = picture.per_bank[bank];
    std::string text = count == 0 ? "0" : count < 10 ? fmt::format("{}", count) : "+";
    words += count == worst && worst > 1 ? ink.bad(text) : text;
    numbers += bank % 8 == 0 ? pad_right(fmt::format("{}", bank), 16) : "";
    if (bank + 1 != picture.per_bank.size()) words += ' ';
  }
  while (!numbers.empty() && numbers.back() == ' ') numbers.pop_back();
  return words + fmt::format("{} at most {} in a bank\n", ink.bar(), worst) + ink.faint(numbers) + "\n";
}

std::string draw(const Picture& picture, const Theme& ink) {
  u32 label = 5;
  for (const PictureRow& row : picture.rows)
    label = std::max(label, width_of(bytes_text(picture, row, ink.dash())));
  std::string out;
  for (std::size_t i = 0; i < picture.rows.size(); ++i) {
    bool cut = picture.rows.size() > most_picture_rows && i == most_picture_rows - 3;
    if (cut) {
      std::size_t hidden = picture.rows.size() - (most_picture_rows - 1);
      out += "  " + pad_left(ink.more(), label) + fmt::format("  {} more rows\n", hidden);
      i += hidden;
    }
    out += row_text(picture, picture.rows[i], label, ink);
  }
  if (picture.kind == Picture::Kind::banks && !picture.per_bank.empty())
    out += bank_footer(picture, label, ink);
  return out;
}

std::string legend(const Explanation& e, const Picture& picture, const Theme& ink) {
  bool several = false, unused = false;
  for (const PictureRow& row : picture.rows) {
    unused = unused || row.used_bytes < row.fetched_bytes;
    for (const Cell& cell : row.cells) several = several || std::popcount(cell.lanes) > 1;
  }
  std::string out = fmt::format("a cell is {}; lanes are 0{}9, a{}v (a = 10, v = 31)",
                                plural(picture.cell_bytes, "byte"), ink.dash(), ink.dash());
  if (several) out += "; * several lanes";
  if (unused) out += fmt::format("; {} travels unused", ink.unused());
  if (e.question.space == Space::local) out += "; rows are where the words lie in device memory";
  return out;
}

std::string lane_list(u32 mask, const Theme& ink) {
  u32 low = static_cast<u32>(std::countr_zero(mask)), high = 31 - static_cast<u32>(std::countl_zero(mask));
  if (low == high) return fmt::format("lane {}", low);
  return fmt::format("lanes {}{}{}", low, ink.dash(), high);
}

// 1.x: the segments one by one, unless there are too many to be worth it.
std::string transaction_lines(const std::vector<Transaction>& list, const Theme& ink) {
  std::string out;
  for (std::size_t i = 0; i < list.size() && list.size() <= 8; ++i)
    out += fmt::format("  transaction {}: {} bytes at {}{}{}, {}\n", i + 1, list[i].bytes,
                       static_cast<i64>(list[i].address - origin), ink.dash(),
                       static_cast<i64>(list[i].address - origin + list[i].bytes) - 1,
                       lane_list(list[i].lanes, ink));
  return out;
}

// ---- costs

std::string percent(double ratio) {
  return ratio > 0.0995 ? fmt::format("{:.0f}%", ratio * 100) : fmt::format("{:.1f}%", ratio * 100);
}

std::string meter(double ratio, const Theme& ink) {
  u32 filled = static_cast<u32>(std::clamp(ratio, 0.0, 1.0) * 10 + 0.5);
  std::string out;
  for (u32 i = 0; i < 10; ++i) out += i < filled ? ink.full() : ink.empty();
  return ink.graded(ratio, out);
}

// "2 × 64 + 1 × 32 B"
std::string sizes_text(const std::map<u64, u64>& sizes, const Theme& ink) {
  std::string out;
  for (auto at = sizes.rbegin(); at != sizes.rend(); ++at)
    out += fmt::format("{}{} {} {}", out.empty() ? "" : " + ", at->second, ink.times(), at->first);
  return out.empty() ? "none" : out + " B";
}

// The columns that the space's accesses are told in.
std::vector<std::string> cost_cells(const Explanation& e, const arch::Counts& c,
                                    const std::map<u64, u64>& sizes, const Theme& ink) {
  const auto number = [](u64 value) { return fmt::format("{}", value); };
  std::vector<std::string> out = {number(c.instructions)};
  if (e.question.space == Space::shared)
    out.insert(out.end(), {number(c.wavefronts), number(c.ideal_wavefronts)});
  else if (e.question.space == Space::constant)
    out.push_back(number(c.requests));
  else {
    if (has_lines(e)) out.push_back(number(c.tags));
    out.insert(out.end(), {sizes_text(sizes, ink), number(c.transaction_bytes), number(c.bytes_used)});
  }
  out.push_back(percent(efficiency(e, c)));
  return out;
}

std::vector<std::string> cost_heads(const Explanation& e) {
  if (e.question.space == Space::shared) return {"instructions", "passes", "at best", "efficiency"};
  if (e.question.space == Space::constant) return {"instructions", "requests", "efficiency"};
  if (has_lines(e))
    return {"instructions", "lines", "transactions", "bytes moved", "asked for", "efficiency"};
  return {"instructions", "transactions", "bytes moved", "asked for", "efficiency"};
}

// A burst section stands for the transaction; its numbers are those of the drawing.
std::string burst_cost(const Explanation& e, const Theme& ink) {
  return "  " + cost_sentence(e) + ": " + ink.graded(efficiency(e, e.warp), percent(efficiency(e, e.warp))) +
         "\n";
}

std::string costs(const Explanation& e, const Theme& ink) {
  if (e.question.section != 0) return burst_cost(e, ink);
  std::string all = fmt::format("all {} warps", warps(e.footprint));
  std::vector<std::string> heads = cost_heads(e), warp = cost_cells(e, e.warp, e.warp_sizes, ink),
                           block = cost_cells(e, e.block, e.block_sizes, ink);
  bool several = warps(e.footprint) > 1;
  u32 width = several ? std::max(width_of(all), 9u) : 9;
  std::string first = "  " + pad_right("", width), second = "  " + pad_right("this warp", width),
              third = "  " + pad_right(all, width);
  for (std::size_t i = 0; i < heads.size(); ++i) {
    u32 column = std::max({width_of(heads[i]), width_of(warp[i]), width_of(block[i])});
    bool last = i + 1 == heads.size();
    const auto graded = [&](const std::string& text, const arch::Counts& c) {
      bool good = as_few_as_possible(e, c);
      return !last ? text : good ? ink.good(text) : ink.graded(efficiency(e, c), text);
    };
    first += "  " + pad_left(heads[i], column);
    second += "  " + graded(pad_left(warp[i], column), e.warp);
    third += "  " + graded(pad_left(block[i], column), e.block);
  }
  std::string out = ink.faint(first) + "\n" + second + "\n" + (several ? third + "\n" : "");
  if (has_lines(e) && e.block.tags != 0) {
    double ideal = ideal_lines(e.block, e.manner.pieces[0].bytes);
    out +=
        fmt::format("  L1 efficiency {}: {} of 128 bytes where the threads' bytes would fill {:.6g}\n",
                    percent(ideal / static_cast<double>(e.block.tags)), plural(e.block.tags, "line"), ideal);
  }
  if (as_few_as_possible(e, e.warp) && efficiency(e, e.warp) < 0.8)
    out += "  Few of the bytes are used, but no fewer transactions could serve these lanes.\n";
  return out;
}

// 1.x can need three sizes; more than two would not fit.
std::string short_sizes(const ArchitectureCounts& row, const Theme& ink) {
  if (row.sizes.size() < 3) return sizes_text(row.sizes, ink);
  return fmt::format("{} of {}{}{} B", row.block.transactions, row.sizes.begin()->first, ink.dash(),
                     row.sizes.rbegin()->first);
}

std::vector<std::string> table_cells(const Explanation& e, const ArchitectureCounts& row, const Theme& ink) {
  const auto number = [](u64 value) { return fmt::format("{}", value); };
  const arch::Counts& c = row.block;
  if (e.question.space == Space::shared) return {number(c.wavefronts), number(c.ideal_wavefronts)};
  if (e.question.space == Space::constant) return {number(c.requests)};
  return {number(c.requests), short_sizes(row, ink), number(c.transaction_bytes)};
}

std::string table(const Explanation& e, const Theme& ink) {
  std::vector<std::vector<std::string>> lines;
  if (e.question.space == Space::shared)
    lines.push_back({"passes", "at best"});
  else if (e.question.space == Space::constant)
    lines.push_back({"requests"});
  else
    lines.push_back({"requests", "transactions", "bytes moved"});
  for (const ArchitectureCounts& row : e.others) lines.push_back(table_cells(e, row, ink));
  std::string out = ink.bold("The block on each architecture") + "\n";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string text;
    for (std::size_t column = 0; column < lines[i].size(); ++column) {
      u32 width = 0;
      for (const std::vector<std::string>& line : lines) width = std::max(width, width_of(line[column]));
      text += "  " + pad_left(lines[i][column], width);
    }
    if (i == 0) {
      out += ink.faint("  " + pad_left("cc", width_of(ink.arrow()) + 5) + text + "  efficiency") + "\n";
      continue;
    }
    const ArchitectureCounts& row = e.others[i - 1];
    double share = efficiency(e, row.block);
    std::string mark(row.sm == e.question.sm ? ink.arrow() : "");
    out += "  " + pad_right(mark, width_of(ink.arrow())) + pad_left(text::compute_capability(row.sm), 5) +
           text + "  " + meter(share, ink) + " " + pad_left(percent(share), 5) + "\n";
  }
  return out;
}

// ---- fixes

std::string fix_text(const advise::Advice& fix, std::size_t number, const Theme& ink) {
  u64 before = advise::value(fix.metric, fix.before), after = advise::value(fix.metric, fix.after);
  std::string out = fmt::format("  {}. {}\n", number, ink.bold(fix.title));
  out += "     " + text::wrap(fix.cause, page - 5, "     ") + "\n";
  if (!fix.change.empty()) out += "     " + text::wrap(fix.change, page - 5, "     ") + "\n";
  if (!fix.example.empty()) out += "       " + ink.good(fix.example) + "\n";
  if (before == after) return out;
  out += fmt::format(
      "     {}: {} {} {}   ({}{} fewer)\n",
      fix.metric == advise::Metric::wavefronts ? "passes (wavefronts)" : advise::name(fix.metric), before,
      ink.arrow(), ink.good(fmt::format("{}", after)), findings::times(fix.gain()), ink.times());
  return out;
}

std::string fixes_text(const Explanation& e, const Theme& ink) {
  if (e.fixes.empty())
    return ink.bold("What would help") + "\n  Nothing: no change that explain knows lowers these counts.\n";
  std::string out = ink.bold("What would help") + " (counts of the block)\n";
  if (std::all_of(e.fixes.begin(), e.fixes.end(), optional))
    out += "  Nothing is lost as it is. Where the kernel waits for its own instructions, this saves some:\n";
  for (std::size_t i = 0; i < e.fixes.size(); ++i) out += fix_text(e.fixes[i], i + 1, ink);
  return out;
}

} // namespace

std::string terminal_picture(const Explanation& e, const TextStyle& style) {
  Theme ink(style);
  const arch::Architecture& arch = *arch::find(e.question.sm);
  if (e.warp.threads == 0) return "  No lane of this warp takes part.\n";
  Picture drawn = picture(arch, e.drawn[0], e.transactions[0], e.question.section);
  std::string out;
  if (e.drawn.size() > 1)
    out += fmt::format("  the first of {} instructions, {}; the others are the same, shifted\n",
                       e.drawn.size(), plural(e.manner.pieces[0].bytes, "byte") + " each");
  out += draw(drawn, ink);
  out += "  " + ink.faint(text::wrap(legend(e, drawn, ink), page, "  ")) + "\n";
  out += transaction_lines(e.transactions[0], ink);
  return out + costs(e, ink);
}

std::string terminal(const Explanation& e, const TextStyle& style) {
  Theme ink(style);
  std::string out = heading(e, ink) + summary(e, ink) + "\n" + form_words(e, ink, page) + "\n";
  out += ink.bold(e.question.space == Space::shared ? "Which lanes go to which banks"
                                                    : "Which lanes go to which segments") +
         "\n";
  out += terminal_picture(e, style) + "\n" + (e.question.section != 0 ? "" : table(e, ink) + "\n") +
         fixes_text(e, ink);
  return style.unicode ? out : ascii(out);
}

std::string form_text(const Explanation& e, const TextStyle& style) {
  return form_words(e, Theme(style), ~u32{0});
}

} // namespace warplens::explain
