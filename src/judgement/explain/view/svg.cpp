// The drawing as a self-contained SVG document: the lanes on top, the memory they reach below, a line from
// each lane to its word. Lanes keep their colour everywhere; a grey cell travels without anyone having asked
// for it, a dashed one stays in memory. Cells have the width of lanes, so a coalesced access is a curtain of
// vertical lines.
//
// The same Picture as the terminal's; where it has many rows the middle is left out and so are the lines.
#include "arch/table.h"
#include "explain/model/cases.h"
#include "explain/view/costs.h"
#include "explain/view/picture.h"
#include "explain/view/theme.h"
#include "text/lines.h"
#include "text/words.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>

namespace warplens::explain {
namespace {

constexpr double page_width = 1040, left = 132, strip = 768, cell_height = 24, row_gap = 10, lanes_gap = 64;
constexpr std::size_t most_rows = 10;      // before the middle is left out
constexpr std::size_t most_rows_lined = 3; // rows that lines are drawn to

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (static_cast<u8>(c) >= 0x20)
      out += c;
  }
  return out;
}

// 32 hues from blue over green and orange to red, dark enough for white digits.
std::string colour(u32 lane) {
  double hue = 215.0 - 205.0 * lane / 31.0;
  double lightness = hue > 40 && hue < 110 ? 38 : 45;
  return fmt::format("hsl({:.0f},62%,{:.0f}%)", hue, lightness);
}

struct Attribute {
  std::string_view name;
  std::string value; // as it is meant: quotes and the like are escaped when it is written
};
using Attributes = std::vector<Attribute>;

std::string length(double value) { return fmt::format("{:.1f}", value); }

// How a box looks besides its place and size.
struct Look {
  std::string_view style;   // a class of the style sheet
  std::string fill = {};    // a colour; empty: as the class says
  std::string corners = {}; // their radius; empty: square
};

class Page {
public:
  void text(double x, double y, std::string_view style, std::string_view words,
            std::string_view anchor = "start") {
    element("text",
            {{"x", length(x)},
             {"y", length(y)},
             {"class", std::string(style)},
             {"text-anchor", std::string(anchor)}},
            words);
  }
  void box(double x, double y, double width, double height, const Look& look) {
    Attributes attributes{{"x", length(x)},
                          {"y", length(y)},
                          {"width", length(width)},
                          {"height", length(height)},
                          {"class", std::string(look.style)}};
    if (!look.corners.empty()) attributes.push_back({"rx", look.corners});
    if (!look.fill.empty()) attributes.push_back({"style", "fill:" + look.fill});
    element("rect", attributes);
  }
  void line(double x1, double y1, double x2, double y2, std::string_view stroke) {
    double bend = (y2 - y1) * 0.45;
    element("path", {{"d", fmt::format("M{:.1f},{:.1f} C{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}", x1, y1,
                                       x1, y1 + bend, x2, y2 - bend, x2, y2)},
                     {"class", "to"},
                     {"style", fmt::format("stroke:{}", stroke)}});
  }
  std::string document(double height, std::string_view title) const {
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 "
        "{0:.0f} {1:.0f}\" role=\"img\">\n"
        "<title>{2}</title>\n<style>\n"
        "text{{font-family:Inter,'Helvetica Neue',Arial,'DejaVu Sans',sans-serif;fill:#1f2933}}\n"
        ".title{{font-size:22px;font-weight:600}} .code{{font-family:'DejaVu Sans "
        "Mono',Menlo,Consolas,monospace;font-size:17px;font-weight:600}}\n"
        ".words{{font-size:14px}} .note{{font-size:13px;fill:#52606d}} .label{{font-size:12px;fill:#52606d}} "
        ".lane{{font-size:11px;fill:#fff;font-weight:600}}\n"
        ".dot{{stroke:none}} .off{{fill:#fff;stroke:#cbd2d9;stroke-dasharray:2 2}} "
        ".idle{{fill:#e4e7eb;stroke:#fff;stroke-width:1}} .used{{stroke:#fff;stroke-width:1}}\n"
        ".group{{fill:none;stroke:#3e4c59;stroke-width:1.4}} "
        ".stay{{fill:none;stroke:#cbd2d9;stroke-width:1}} .to{{fill:none;stroke-width:1.3;opacity:.75}}\n"
        ".track{{fill:#e4e7eb}} .grey{{font-size:11px;fill:#9aa5b1}}\n"
        "</style>\n<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"#ffffff\"/>\n{3}</svg>\n",
        page_width, height, escaped(title), body_);
  }

private:
  void element(std::string_view name, const Attributes& attributes, std::string_view content = {}) {
    (body_ += '<') += name;
    for (const Attribute& a : attributes) body_ += fmt::format(" {}=\"{}\"", a.name, escaped(a.value));
    body_ += content.empty() ? "/>\n" : fmt::format(">{}</{}>\n", escaped(content), name);
  }
  std::string body_;
};

struct Sketch {
  Page& page;
  const Explanation& e;
  Picture picture;
  u32 lanes; // shown on top
  double y;  // top of the lane dots
  double cell_width;
  bool lined; // lines from lanes to cells

  double lane_x(u32 lane) const {
    return left + strip * (lane + 0.5) / std::max(lanes, 32u) +
           (lanes < 32 ? strip * (32 - lanes) / 64.0 : 0);
  }
};

void draw_lanes(Sketch& s) {
  u32 active = s.e.drawn[0].active;
  s.page.text(left - 14, s.y + 16, "label", "lanes", "end");
  for (u32 lane = 0; lane < s.lanes; ++lane) {
    bool takes_part = (active >> lane & 1) != 0;
    s.page.box(s.lane_x(lane) - 10.5, s.y, 21, 21,
               takes_part ? Look{"dot", colour(lane), "5"} : Look{"off", "", "5"});
    s.page.text(s.lane_x(lane), s.y + 14.5, takes_part ? "lane" : "grey", fmt::format("{}", lane), "middle");
  }
}

// A cell in its lane's colour. One that several lanes share is dark, with their number and a strip of their
// colours.
void draw_cell(Sketch& s, double x, double y, const Cell& cell, bool fetched) {
  if (cell.lanes == 0) {
    if (fetched) s.page.box(x, y, s.cell_width, cell_height, {"idle"});
    return;
  }
  u32 count = static_cast<u32>(std::popcount(cell.lanes));
  u32 first = static_cast<u32>(std::countr_zero(cell.lanes));
  s.page.box(x, y, s.cell_width, cell_height, {"used", count == 1 ? colour(first) : "#52606d"});
  double slice = (s.cell_width - 1) / count, at = x + 0.5;
  for (u32 mask = cell.lanes; count > 1 && mask != 0; mask &= mask - 1, at += slice)
    s.page.box(at, y + cell_height - 6, slice, 5, {"dot", colour(static_cast<u32>(std::countr_zero(mask)))});
  if (s.cell_width < 11) return;
  s.page.text(x + s.cell_width / 2, y + (count == 1 ? 16 : 13), "lane",
              count == 1 ? fmt::format("{}", first) : fmt::format("{}×", count), "middle");
}

void draw_row(Sketch& s, const PictureRow& row, double y) {
  s.page.text(left - 14, y + 16, "label", bytes_text(s.picture, row, "–"), "end");
  bool segments = s.picture.kind == Picture::Kind::segments;
  for (std::size_t i = 0; i < row.cells.size(); ++i)
    draw_cell(s, left + s.cell_width * static_cast<double>(i), y, row.cells[i],
              segments && row.fetched[i / s.picture.cells_per_group] != 0);
  double group = s.cell_width * s.picture.cells_per_group;
  for (std::size_t i = 0; i < row.fetched.size(); ++i)
    s.page.box(left + group * static_cast<double>(i), y, group, cell_height,
               {row.fetched[i] != 0 ? "group" : "stay", "", "2"});
  if (segments)
    s.page.text(left + strip + 14, y + 16, "label",
                fmt::format("{} of {} B used", row.used_bytes, row.fetched_bytes));
}

void draw_lines(Sketch& s, double first_row) {
  for (std::size_t r = 0; r < s.picture.rows.size(); ++r) {
    const PictureRow& row = s.picture.rows[r];
    u32 done = 0; // a lane whose word is several cells gets one line, to the middle of them
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      for (u32 mask = row.cells[i].lanes & ~done; mask != 0; mask &= mask - 1) {
        u32 lane = static_cast<u32>(std::countr_zero(mask));
        std::size_t end = i;
        while (end + 1 < row.cells.size() && (row.cells[end + 1].lanes >> lane & 1) != 0) ++end;
        done |= u32{1} << lane;
        double x = left + s.cell_width * (static_cast<double>(i + end) / 2 + 0.5);
        s.page.line(s.lane_x(lane), s.y + 21, x, first_row + static_cast<double>(r) * (cell_height + row_gap),
                    colour(lane));
      }
  }
}

double draw_banks(Sketch& s, double y) {
  u32 worst = *std::max_element(s.picture.per_bank.begin(), s.picture.per_bank.end());
  s.page.text(left - 14, y + 12, "label", "bank", "end");
  s.page.text(left - 14, y + 28, "label", "words in it", "end");
  for (std::size_t bank = 0; bank < s.picture.per_bank.size(); ++bank) {
    double x = left + s.cell_width * (static_cast<double>(bank) + 0.5);
    s.page.text(x, y + 12, "grey", fmt::format("{}", bank), "middle");
    s.page.text(x, y + 28, s.picture.per_bank[bank] == worst ? "words" : "grey",
                fmt::format("{}", s.picture.per_bank[bank]), "middle");
  }
  return y + 38;
}

double draw_rows(Sketch& s, double y) {
  for (std::size_t i = 0; i < s.picture.rows.size(); ++i) {
    if (s.picture.rows.size() > most_rows && i == most_rows - 3) {
      std::size_t hidden = s.picture.rows.size() - (most_rows - 1);
      s.page.text(left + strip / 2, y + 14, "note", fmt::format("⋮   {} more rows   ⋮", hidden), "middle");
      y += cell_height;
      i += hidden;
    }
    draw_row(s, s.picture.rows[i], y);
    y += cell_height + row_gap;
  }
  return y;
}

double draw_cost(Page& page, const Explanation& e, double y) {
  double share = std::clamp(efficiency(e, e.warp), 0.0, 1.0);
  bool best = as_few_as_possible(e, e.warp);
  std::string words = cost_sentence(e);
  if (e.drawn.size() > 1) words += fmt::format("; the first of {} instructions is drawn", e.drawn.size());
  page.text(left, y + 14, "words", words);
  page.box(left, y + 24, 240, 9, {"track", "", "4.5"});
  std::string_view grade = "#d64545";
  if (share > 0.4) grade = "#d9961a";
  if (best || share > 0.79) grade = "#2f9e5b";
  page.box(left, y + 24, std::max(240 * share, 9.0), 9, {"dot", std::string(grade), "4.5"});
  page.text(left + 252, y + 33, "note",
            fmt::format("{:.3g}% efficient{}", share * 100,
                        best && share < 1 ? "; no fewer transactions could serve these lanes" : ""));
  return y + 52;
}

// One access; returns where the next may start.
double draw(Page& page, const Explanation& e, std::string_view caption, double y) {
  const Question& q = e.question;
  page.text(left, y + 18, "code", q.access);
  page.text(left + strip, y + 18, "note",
            fmt::format("{}, {} memory, compute capability {}", q.type, access::name(q.space),
                        text::compute_capability(q.sm)),
            "end");
  if (!caption.empty()) page.text(left, y + 40, "note", caption);
  y += caption.empty() ? 34 : 54;
  if (e.warp.threads == 0) {
    page.text(left, y + 16, "words", "No lane of this warp takes part.");
    return y + 40;
  }
  u32 lanes = static_cast<u32>(std::min<u64>(q.block.count() - u64{q.warp} * warp_size, warp_size));
  Sketch s{page, e, picture(*arch::find(q.sm), e.drawn[0], e.transactions[0], q.section), lanes, y, 0, false};
  s.cell_width = strip / static_cast<double>(s.picture.rows[0].cells.size());
  s.lined = s.picture.rows.size() <= most_rows_lined;
  double first_row = y + (s.lined ? 21 + lanes_gap : 38);
  if (s.lined) draw_lines(s, first_row);
  draw_lanes(s);
  y = draw_rows(s, first_row);
  if (s.picture.kind == Picture::Kind::banks) y = draw_banks(s, y);
  return draw_cost(page, e, y) + 22;
}

} // namespace

std::string svg(const Explanation& e, const std::string& caption) {
  Page page;
  double height = draw(page, e, caption, 20);
  return page.document(height, e.question.access);
}

std::string svg(const Case& c) {
  Page page;
  page.text(left, 44, "title", c.title);
  double y = 70;
  const std::string words = text::wrap(c.words, 104);
  for (std::string_view line : text::lines_of(words)) page.text(left, y, "words", line), y += 20;
  y += 14;
  for (const Frame& shot : c.shots()) y = draw(page, shot.explanation, shot.caption, y) + 12;
  return page.document(y, c.title);
}

} // namespace warplens::explain
