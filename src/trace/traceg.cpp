// Accel-Sim's kernel traces (.traceg). A header of "-key = value" lines, then per thread block and warp one
// line per executed instruction:
//   [line] PC mask destinations R… opcode sources R… width [mode addresses]
// `width` 0 means no memory access. Modes: 0 every active lane's address in hexadecimal; 1 a base in
// hexadecimal and a decimal stride, for lanes that are active without gaps; 2 a base in hexadecimal and a
// decimal difference from one active lane to the next. Before tracer version 3 each line starts with the
// block's and the warp's number; with
// "-enable lineinfo = 1" it starts with a source line. Bulk copies (UTMA…, UBLK…) are passed over.
// Format: gpu-simulator/trace-parser of the Accel-Sim framework.
#include "base/bits.h"
#include "trace/formats.h"
#include "trace/sass.h"
#include <charconv>
#include <fmt/format.h>

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
  u64 skipped() const override { return skipped_; }

  Result<std::optional<Record>> next() override {
    while (true) {
      Result<std::optional<std::string_view>> line = lines_->next();
      if (!line) return failure(std::move(line.error()));
      if (!*line) return std::nullopt;
      if (header(**line)) continue;
      Result<std::optional<Record>> record = instruction(**line);
      if (!record || *record) return record;
    }
  }

private:
  // Lines that are no instructions; takes from the header what the instructions' form depends on.
  bool header(std::string_view line) {
    if (line.find_first_not_of(" \t") == line.npos || line.starts_with('#')) return true;
    if (line.starts_with('-')) {
      Words words(line.substr(std::min(line.size(), line.find('=') + 1)));
      u64 value = 0;
      if (line.starts_with("-accelsim tracer version") && words.decimal(value)) version_ = value;
      if (line.starts_with("-enable lineinfo") && words.decimal(value)) line_numbers_ = value != 0;
      return true;
    }
    return line.starts_with("thread block") || line.starts_with("warp =") || line.starts_with("insts =");
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
    if (!sass) return ++skipped_, std::optional<Record>();
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
  u64 version_ = 3, skipped_ = 0;
  bool line_numbers_ = false;
};

} // namespace

std::unique_ptr<Reader> read_traceg(std::unique_ptr<Lines> lines) {
  return std::make_unique<Traceg>(std::move(lines));
}

} // namespace warplens::trace
