// Pattern files: one JSON object a line, one warp's access each:
//   {"id":7,"space":"global","op":"load","bytes":4,"mask":"0xffffffff","addresses":[32 numbers]}
// `space`: global shared local constant texture surface, and the textures of tests/arch/data
// (texture1d_linear, texture2d_array, texture2d_pitch_linear). `op`: load store reduction atomic async_copy
// ldmatrix. ldmatrix has "matrices"; local memory has "offsets" instead of "addresses", 2-D textures
// "texels": [x, y] pairs of 4-byte texels, in rows of 1024 or, in texture2d_array, in sectors of 4 x 2
// texels. Optional: "id", "cache" (ca cg cs lu cv wb wt nc volatile). Other keys are ignored; none of these comes twice. The
// address of an inactive lane may be null.
//
// A line is text that anybody may have written. Whatever can fail in simdjson is asked for with its error code: the room is
// compiled without its exceptions.
#include "access/texture_layout.h"
#include "base/bits.h"
#include "trace/formats.h"
#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <simdjson.h>
#include <utility>

namespace warplens::trace {
namespace {

using access::Cache;
using access::Kind;
using access::Space;
namespace od = simdjson::ondemand;

template <class T> struct Named {
  std::string_view name;
  T value;
};

constexpr Named<Space> spaces[] = {{"global", Space::global},
                                   {"shared", Space::shared},
                                   {"local", Space::local},
                                   {"constant", Space::constant},
                                   {"texture", Space::texture},
                                   {"surface", Space::surface},
                                   {"texture1d_linear", Space::texture},
                                   {"texture2d_array", Space::texture},
                                   {"texture2d_pitch_linear", Space::texture}};
constexpr Named<Kind> kinds[] = {
    {"load", Kind::load},     {"store", Kind::store},           {"reduction", Kind::reduction},
    {"atomic", Kind::atomic}, {"async_copy", Kind::async_copy}, {"ldmatrix", Kind::ldmatrix}};
constexpr Named<Cache> caches[] = {{"", Cache::none},
                                   {"none", Cache::none},
                                   {"ca", Cache::ca},
                                   {"cg", Cache::cg},
                                   {"cs", Cache::cs},
                                   {"lu", Cache::lu},
                                   {"cv", Cache::cv},
                                   {"wb", Cache::wb},
                                   {"wt", Cache::wt},
                                   {"nc", Cache::nc},
                                   {"volatile", Cache::volatile_}};

template <class T, std::size_t n> const T* lookup(const Named<T> (&table)[n], std::string_view name) {
  for (const Named<T>& entry : table)
    if (entry.name == name) return &entry.value;
  return nullptr;
}

template <class T, std::size_t n> std::string names_of(const Named<T> (&table)[n]) {
  std::string out;
  for (const Named<T>& entry : table)
    if (!entry.name.empty()) (out += ' ') += entry.name;
  return out;
}

// A problem with one line, by value through the parsing functions; `at` points into the line.
struct Problem {
  std::string message, help;
  const char* at = nullptr;
};
template <class T> using Parsed = ResultOr<T, Problem>;

Parsed<u64> number_from_text(std::string_view text, const char* at) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2), base = 16;
  u64 value = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (code != std::errc() || end != text.data() + text.size() || text.empty())
    return failure(Problem{fmt::format("'{}' is no number of 64 bits", text), {}, at});
  return value;
}

// A number from 0 to 2^64-1, or a string that holds one ("0xffffffff"). `what` says what it is, where it is none.
template <class What> Parsed<u64> unsigned_number(od::value value, What what) {
  const char* at = value.raw_json_token().data();
  std::string_view text;
  u64 number = 0;
  if (*at != '"' && value.get_uint64().get(number) == simdjson::SUCCESS) return number;
  if (value.get_string().get(text) == simdjson::SUCCESS) return number_from_text(text, at);
  return failure(Problem{fmt::format("{} is not a whole number from 0 to 2^64-1", what()), {}, at});
}

// What a line says, each at most once; the three names for addresses are one thing.
struct Field {
  std::string_view name;
  bool required;
};
constexpr Field fields[] = {{"id", false},  {"space", true},     {"op", true},     {"bytes", true},
                            {"mask", true}, {"addresses", true}, {"cache", false}, {"matrices", false}};

struct Fields {
  std::array<bool, std::size(fields)> seen{};
  bool texels = false;
  std::string_view space_name;
  // The field that a key names; nullptr for a key that is ignored.
  static const Field* find(std::string_view key) {
    if (key == "offsets" || key == "texels") key = "addresses";
    auto found =
        std::find_if(std::begin(fields), std::end(fields), [&](const Field& f) { return f.name == key; });
    return found == std::end(fields) ? nullptr : found;
  }
};

constexpr u64 texture_row = 4096, texel_bytes = 4; // the measured texture: 1024 × 1024 floats

void lay_out_texture(const Fields& seen, access::WarpAccess& access) {
  if (access.space != Space::texture) return;
  access.texture_dimensions = seen.space_name == "texture1d_linear" ? 1 : seen.texels ? 2 : 0;
  if (seen.space_name != "texture2d_array" || !seen.texels) return;
  for (u64& address : access.address)
    address = access::place_in_array(address % texture_row, address / texture_row, texture_row);
}

class Patterns final : public Reader {
public:
  explicit Patterns(std::unique_ptr<Lines> lines) : lines_(std::move(lines)) {}
  bool finished() const override { return lines_->finished(); }

  Result<std::optional<Record>> next() override {
    while (true) {
      Result<std::optional<std::string_view>> line = lines_->next();
      if (!line) return failure(std::move(line.error()));
      if (!*line) return std::nullopt;
      if (!lines_->is_of_part() || (*line)->find_first_not_of(" \t") == std::string_view::npos) continue;
      Parsed<Record> record = parse(**line);
      if (record) return std::optional<Record>(std::move(*record));
      return failure(diagnostic(**line, std::move(record.error())));
    }
  }

private:
  diag::Diagnostic diagnostic(std::string_view line, Problem problem) const {
    bool inside = problem.at >= line.data() && problem.at <= line.data() + line.size();
    return diag::error("trace-malformed", std::move(problem.message),
                       lines_->span(line, inside ? problem.at : line.data() + line.size()),
                       std::move(problem.help));
  }

  Parsed<Record> parse(std::string_view line) {
    simdjson::padded_string_view padded(line.data(), line.size(), line.size() + Lines::padding);
    od::document document;
    if (auto code = parser_.iterate(padded).get(document)) return failure(syntax(code, line));
    od::object object;
    if (auto code = document.get_object().get(object)) return failure(syntax(code, line));
    Record record;
    record.line = lines_->number();
    record.id = std::to_string(record.line);
    Fields seen;
    for (auto item : object) {
      std::string_view key;
      od::value value;
      if (auto code = item.unescaped_key().get(key)) return failure(syntax(code, line, location(document)));
      if (auto code = item.value().get(value)) return failure(syntax(code, line, location(document)));
      Parsed<void> done = field(key, value, record, seen);
      if (!done) return failure(std::move(done.error()));
    }
    if (const char* more = location(document))
      return failure(Problem{"more text after the JSON object", "each line is one JSON object", more});
    return checked(std::move(record), seen, line);
  }

  Parsed<void> field(std::string_view key, od::value value, Record& record, Fields& seen) {
    access::WarpAccess& access = record.access;
    const Field* field = Fields::find(key);
    if (field == nullptr) return {};
    bool& seen_before = seen.seen[static_cast<std::size_t>(field - fields)];
    if (std::exchange(seen_before, true))
      return failure(
          Problem{fmt::format("the object has \"{}\" twice", field->name),
                  field->name == "addresses" ? "one of \"addresses\", \"offsets\" and \"texels\"" : "",
                  value.raw_json_token().data()});
    if (key == "id") return id(value, record.id);
    if (key == "space") return named(value, spaces, "space", access.space, &seen.space_name);
    if (key == "op") return named(value, kinds, "op", access.kind);
    if (key == "cache") return named(value, caches, "cache", access.cache);
    if (key == "bytes") return small(value, "bytes", access.bytes);
    if (key == "matrices") return small(value, "matrices", access.matrices);
    if (key == "mask") {
      const char* at = value.raw_json_token().data();
      Parsed<u64> mask = unsigned_number(value, [] { return "the mask"; });
      if (!mask) return failure(std::move(mask.error()));
      if (*mask > full_mask)
        return failure(Problem{fmt::format("the mask {:#x} has more than 32 lanes", *mask), {}, at});
      access.active = static_cast<u32>(*mask);
      return {};
    }
    seen.texels = key == "texels";
    return addresses(value, key, access);
  }

  // Kept as JSON, because it goes out as JSON.
  static Parsed<void> id(od::value value, std::string& out) {
    std::string_view raw = value.raw_json_token(), text;
    double number = 0;
    if (value.get_string().get(text) && value.get_double().get(number))
      return failure(Problem{"the id is neither a number nor a string", {}, raw.data()});
    out = std::string(raw.substr(0, raw.find_last_not_of(" \t\r\n") + 1));
    return {};
  }

  template <class T, std::size_t n>
  Parsed<void> named(od::value value, const Named<T> (&table)[n], std::string_view key, T& out,
                     std::string_view* found_name = nullptr) {
    const char* at = value.raw_json_token().data();
    std::string_view text;
    if (value.get_string().get(text))
      return failure(Problem{fmt::format("'{}' is not a string", key), {}, at});
    const T* found = lookup(table, text);
    if (!found)
      return failure(Problem{fmt::format("unknown {} '{}'", key, text), "known:" + names_of(table), at});
    out = *found;
    for (const Named<T>& entry : table)
      if (found_name && entry.name == text) *found_name = entry.name;
    return {};
  }

  Parsed<void> small(od::value value, std::string_view key, u8& out) {
    const char* at = value.raw_json_token().data();
    Parsed<u64> number = unsigned_number(value, [&] { return fmt::format("'{}'", key); });
    if (!number) return failure(std::move(number.error()));
    if (*number > 255) return failure(Problem{fmt::format("'{}' is {}: too large", key, *number), {}, at});
    out = static_cast<u8>(*number);
    return {};
  }

  Parsed<void> addresses(od::value value, std::string_view key, access::WarpAccess& access) {
    const char* at = value.raw_json_token().data();
    od::array array;
    if (value.get_array().get(array))
      return failure(Problem{fmt::format("'{}' is not an array", key), {}, at});
    u32 lane = 0;
    null_ = 0;
    for (auto item : array) {
      od::value element;
      if (item.get(element)) return failure(Problem{"malformed JSON in the addresses", {}, at});
      if (lane == warp_size) return failure(Problem{"more than 32 addresses", "a warp has 32 lanes", at});
      Parsed<u64> address = key == "texels" ? texel(element) : lane_address(element, lane);
      if (!address) return failure(std::move(address.error()));
      access.address[lane++] = *address;
    }
    if (lane != warp_size)
      return failure(Problem{fmt::format("'{}' has values for {} of 32 lanes", key, lane),
                             "give null for inactive lanes", at});
    return {};
  }

  Parsed<u64> lane_address(od::value element, u32 lane) {
    std::string_view token = element.raw_json_token();
    if (token.starts_with("null")) {
      bool is_null = false;
      if (element.is_null().get(is_null) || !is_null)
        return failure(Problem{
            fmt::format("the address of lane {} is neither a number nor null", lane), {}, token.data()});
      null_ |= u32{1} << lane;
      return u64{0};
    }
    return unsigned_number(element, [&] { return fmt::format("the address of lane {}", lane); });
  }

  static Parsed<u64> texel(od::value element) {
    const char* at = element.raw_json_token().data();
    od::array pair;
    if (element.get_array().get(pair)) return failure(Problem{"a texel is [x, y]", {}, at});
    u64 coordinate[2] = {};
    u32 count = 0;
    for (auto part : pair) {
      u64 number = 0;
      if (count == 2 || part.get_uint64().get(number) || number >= 1024)
        return failure(Problem{"a texel is [x, y], each from 0 to 1023", {}, at});
      coordinate[count++] = number;
    }
    if (count != 2) return failure(Problem{"a texel is [x, y]", {}, at});
    return coordinate[1] * texture_row + coordinate[0] * texel_bytes;
  }

  Parsed<Record> checked(Record record, const Fields& seen, std::string_view line) const {
    const char* end = line.data() + line.size();
    for (std::size_t i = 0; i < std::size(fields); ++i)
      if (fields[i].required && !seen.seen[i])
        return failure(Problem{fmt::format("the object has no \"{}\"", fields[i].name), {}, end});
    if (u32 missing = record.access.active & null_)
      return failure(
          Problem{fmt::format("lane {} is active but has no address", std::countr_zero(missing)), {}, end});
    if (std::string wrong = access::impossible(record.access); !wrong.empty())
      return failure(Problem{wrong, {}, line.data()});
    lay_out_texture(seen, record.access);
    return record;
  }

  static const char* location(od::document& document) {
    const char* at = nullptr;
    return document.current_location().get(at) ? nullptr : at;
  }

  static Problem syntax(simdjson::error_code code, std::string_view line, const char* at = nullptr) {
    return {fmt::format("malformed JSON: {}", simdjson::error_message(code)), "each line is one JSON object",
            at ? at : line.data() + line.size()};
  }

  std::unique_ptr<Lines> lines_;
  od::parser parser_;
  u32 null_ = 0;
};

} // namespace

std::unique_ptr<Reader> read_patterns(std::unique_ptr<Lines> lines) {
  return std::make_unique<Patterns>(std::move(lines));
}

} // namespace warplens::trace
