// Accel-Sim's kernel traces (.traceg). A header of "-key = value" lines, then per thread block and warp one
// line per executed instruction:
//   [line] PC mask destinations R… opcode sources R… width [mode addresses]
// `width` 0 means no memory access. Modes: 0 every active lane's address in hexadecimal; 1 a base in
// hexadecimal and a decimal stride, for lanes that are active without gaps; 2 a base in hexadecimal and a
// decimal difference from one active lane to the next. Before tracer version 3 each line starts with the
// block's and the warp's number; with
// "-enable lineinfo = 1" it starts with a source line. Bulk copies (UTMA…, UBLK…) are passed over.
//
// A trace that was cut off would be one with smaller counts: each warp has the instructions that "insts =" announces, each
// "#BEGIN_TB" its "#END_TB", and the grid all its thread blocks, or reading it ends with an error.
// Format: gpu-simulator/trace-parser of the Accel-Sim framework.
#include "base/bits.h"
#include "trace/formats.h"
#include "trace/sass.h"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <utility>

namespace warplens::trace {
namespace {

// Splits a line at blanks; `at` is where the next word starts.
class Words {
public:
  explicit Words(std::string_view line) : line_(line) {}
  std::string_view next() {
    at_ = std::min(line_.find_first_not_of(" \t", at_), line_.size());
    std::size_t begin = at_;
    at_ = std::min(line_.find_first_of(" \t", at_), line_.size());
    word_ = line_.substr(begin, at_ - begin);
    return word_;
  }
  const char* last() const { return word_.data() ? word_.data() : line_.data(); }
  bool hexadecimal(u64& out) {
    std::string_view word = next();
    if (word.starts_with("0x")) word.remove_prefix(2);
    return whole(word, out, 16);
  }
  bool decimal(u64& out) { return whole(next(), out, 10); }
  bool signed_decimal(i64& out) { return whole(next(), out, 10); }

private:
  template <class T> static bool whole(std::string_view word, T& out, int base) {
    auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), out, base);
    return code == std::errc() && end == word.data() + word.size() && !word.empty();
  }
  std::string_view line_, word_;
  std::size_t at_ = 0;
};

class Traceg final : public Reader {
public:
  explicit Traceg(std::unique_ptr<Lines> lines) : lines_(std::move(lines)) {}
  bool finished() const override { return lines_->finished(); }

  Result<std::optional<Record>> next() override {
    while (true) {
      Result<std::optional<std::string_view>> line = lines_->next();
      if (!line) return failure(std::move(line.error()));
      if (!*line) {
        if (std::optional<diag::Diagnostic> missing = cut_off()) return failure(std::move(*missing));
        return std::nullopt;
      }
      std::optional<diag::Diagnostic> missing = ended_early(**line);
      const bool known = header(**line);
      if (missing) return failure(std::move(*missing));
      if (known) continue;
      ++instructions_;
      instructions_left_ -= std::min<u64>(instructions_left_, 1);
      if (!lines_->is_of_part()) continue;
      Result<std::optional<Record>> record = instruction(**line);
      if (!record || *record) return record;
    }
  }

private:
  // Lines that are no instructions; takes from them what the instructions' form depends on, and what is to come.
  bool header(std::string_view line) {
    if (line.find_first_not_of(" \t") == line.npos) return true;
    if (line.starts_with('#')) {
      if (line.starts_with("#BEGIN_TB")) inside_ = true, ++blocks_;
      if (line.starts_with("#END_TB")) inside_ = false;
      return true;
    }
    if (line.starts_with('-')) {
      Words words(line.substr(std::min(line.size(), line.find('=') + 1)));
      u64 value = 0;
      if (line.starts_with("-accelsim tracer version") && words.decimal(value)) version_ = value;
      if (line.starts_with("-enable lineinfo") && words.decimal(value)) line_numbers_ = value != 0;
      if (line.starts_with("-grid dim")) grid_ = blocks_of(words.next());
      return true;
    }
    if (line.starts_with("insts =")) {
      Words words(line.substr(line.find('=') + 1));
      if (u64 value = 0; words.decimal(value)) instructions_left_ = value;
      return true;
    }
    return line.starts_with("thread block") || line.starts_with("warp =");
  }

  // "(4,2,1)" → 8; 0 where it is something else.
  static u64 blocks_of(std::string_view dim) {
    u64 product = 1;
    u32 numbers = 0;
    while (!dim.empty()) {
      u32 value = 0;
      dim.remove_prefix(1); // the bracket or the comma
      auto [end, code] = std::from_chars(dim.data(), dim.data() + dim.size(), value);
      if (code != std::errc()) break;
      dim.remove_prefix(static_cast<std::size_t>(end - dim.data()));
      if (++numbers > 3 || __builtin_mul_overflow(product, u64{value}, &product)) return 0;
    }
    return numbers == 3 ? product : 0;
  }

  // A line that ends a warp before it had all its instructions.
  std::optional<diag::Diagnostic> ended_early(std::string_view line) {
    if (!line.starts_with("#END_TB") && !line.starts_with("warp =")) return {};
    u64 missing = std::exchange(instructions_left_, 0);
    if (missing == 0) return {};
    return diag::error(
        "trace-cut-off",
        fmt::format("the warp before this line has {} instructions fewer than it announces", missing),
        lines_->span(line, line.data()), "record the trace again");
  }

  // At the end of the file: what is missing.
  std::optional<diag::Diagnostic> cut_off() const {
    std::string what;
    if (inside_)
      what = "the file ends inside a block";
    else if (blocks_ == 0 && instructions_ == 0)
      what = "the file ends behind its header";
    else if (blocks_ != 0 && grid_ > blocks_)
      what = fmt::format("the file ends after {} of the grid's {} blocks", blocks_, grid_);
    if (what.empty()) return {};
    return diag::error("trace-cut-off", what, {lines_->name(), static_cast<u32>(lines_->number()), 0, 0},
                       "the trace was cut off: record it again, or look whether the disk was full");
  }

  diag::Diagnostic malformed(std::string_view line, const Words& words, std::string message) const {
    return diag::error("trace-malformed", std::move(message), lines_->span(line, words.last()),
                       "expected PC mask destinations opcode sources width [mode addresses]");
  }

  Result<std::optional<Record>> instruction(std::string_view line) {
    Words words(line);
    u64 ignored = 0, mask = 0, count = 0, width = 0;
    for (u32 i = 0; i < (version_ < 3 ? 4u : 0u) + (line_numbers_ ? 1u : 0u); ++i)
      if (!words.decimal(ignored)) return failure(malformed(line, words, "expected a number"));
    if (!words.hexadecimal(ignored))
      return failure(malformed(line, words, "the PC is no hexadecimal number"));
    if (!words.hexadecimal(mask) || mask > full_mask)
      return failure(malformed(line, words, "the active mask is no hexadecimal number of 32 bits"));
    if (!words.decimal(count) || count > 8)
      return failure(malformed(line, words, "expected the number of destinations"));
    for (; count > 0; --count) words.next();
    Record record;
    record.line = lines_->number(), record.id = std::to_string(record.line), record.text = words.next();
    if (record.text.empty()) return failure(malformed(line, words, "the opcode is missing"));
    if (!words.decimal(count) || count > 8)
      return failure(malformed(line, words, "expected the number of sources"));
    for (; count > 0; --count) words.next();
    if (!words.decimal(width))
      return failure(malformed(line, words, "expected the width of the access, 0 for none"));
    if (width == 0) return std::optional<Record>();
    std::optional<SassAccess> sass = sass_access(record.text);
    record.is_counted = sass.has_value();
    if (!sass) return std::optional<Record>(std::move(record));
    access::WarpAccess& access = record.access;
    access.space = sass->space, access.kind = sass->kind, access.cache = sass->cache;
    access.bytes = sass->bytes, access.matrices = sass->matrices, access.active = static_cast<u32>(mask);
    Result<void> read = addresses(line, words, access);
    if (!read) return failure(std::move(read.error()));
    if (std::string wrong = access::impossible(access); !wrong.empty())
      return failure(malformed(line, words, wrong));
    return std::optional<Record>(std::move(record));
  }

  Result<void> addresses(std::string_view line, Words& words, access::WarpAccess& access) const {
    u64 mode = 0, address = 0;
    i64 step = 0;
    if (!words.decimal(mode) || mode > 2) return failure(malformed(line, words, "unknown address mode"));
    bool first = true;
    for (u32 lane = 0; lane < warp_size; ++lane) {
      if (!(access.active >> lane & 1)) continue;
      bool good = true;
      if (mode == 0 || first) good = words.hexadecimal(address);
      if (good && mode == 1 && first) good = words.signed_decimal(step);
      if (good && mode == 2 && !first) good = words.signed_decimal(step);
      if (!good)
        return failure(
            malformed(line, words, fmt::format("the address of lane {} is missing or no number", lane)));
      if (mode != 0 && !first) address += static_cast<u64>(step);
      access.address[lane] = address;
      first = false;
    }
    return {};
  }

  std::unique_ptr<Lines> lines_;
  u64 version_ = 3;
  u64 grid_ = 0, blocks_ = 0;                    // thread blocks announced, 0: not said; and begun
  u64 instructions_ = 0, instructions_left_ = 0; // lines read; how many the warp still owes
  bool line_numbers_ = false, inside_ = false;   // a thread block
};

} // namespace

std::unique_ptr<Reader> read_traceg(std::unique_ptr<Lines> lines) {
  return std::make_unique<Traceg>(std::move(lines));
}

} // namespace warplens::trace
