// Reads the textual DWARF 2 that clang writes into PTX, as far as inline stacks need it: subprograms, inlined
// bodies with the place of their call, and the code labels between which they lie. What is damaged is left
// out (DWARF 2, chapter 7).
#include "ptx/dwarf.h"
#include "base/dwarf_bytes.h"
#include "ptx/constant.h"
#include <algorithm>
#include <queue>

namespace warplens::ptx {
namespace {

constexpr u32 tag_subprogram = 0x2e, tag_inlined_subroutine = 0x1d;
enum Attribute : u64 {
  at_name = 0x03,
  at_low_pc = 0x11,
  at_high_pc = 0x12,
  at_abstract_origin = 0x31,
  at_specification = 0x47,
  at_call_column = 0x57,
  at_call_file = 0x58,
  at_call_line = 0x59,
  at_linkage_name = 0x6e,
  at_mips_linkage_name = 0x2007,
};
constexpr u32 none = 0xffffffffu;
constexpr std::size_t deepest = 1000;

// One subprogram or inlined body; `parent` is the body it was inlined into.
struct Body {
  u32 parent = none;
  u32 depth = 0;
  bool inlined = false;
  u64 offset = 0, origin = 0; // in .debug_info
  std::string name;
  std::string_view low, high;
  u32 call_file = 0, call_line = 0, call_column = 0;
};

struct Abbreviation {
  u64 tag = 0;
  bool children = false;
  std::vector<std::pair<u64, u64>> attributes; // attribute, form
};

class Reader {
public:
  explicit Reader(DebugInfo& debug) : d_(debug) {}

  std::vector<Body> run() {
    DwarfBytes bytes(d_.info.bytes);
    while (bytes.ok() && bytes.at() + 11 <= d_.info.bytes.size() && unit(bytes)) {
    }
    for (Body& body : bodies_) resolve_name(body);
    return std::move(bodies_);
  }

private:
  bool unit(DwarfBytes& bytes) {
    unit_start_ = bytes.at();
    u64 length = bytes.fixed(4), end = bytes.at() + length, version = bytes.fixed(2);
    u64 abbreviations = bytes.fixed(4);
    address_size_ = static_cast<u32>(bytes.fixed(1));
    if (version < 2 || version > 4 || address_size_ > 8 || !read_abbreviations(abbreviations)) return false;
    std::vector<u32> stack; // the body around each open level
    while (bytes.ok() && bytes.at() < std::min<u64>(end, d_.info.bytes.size()) && stack.size() < deepest) {
      u64 offset = bytes.at(), code = bytes.unsigned_leb();
      if (code == 0) {
        if (!stack.empty()) stack.pop_back();
        continue;
      }
      auto found = abbreviations_.find(code);
      if (found == abbreviations_.end()) return false;
      u32 around = stack.empty() ? none : stack.back();
      u32 self = entry(bytes, found->second, offset, around);
      if (found->second.children) stack.push_back(self);
    }
    return bytes.ok();
  }

  bool read_abbreviations(u64 at) {
    abbreviations_.clear();
    DwarfBytes bytes(d_.abbreviations.bytes, at);
    while (bytes.ok()) {
      u64 code = bytes.unsigned_leb();
      if (code == 0) return bytes.ok();
      Abbreviation& a = abbreviations_[code];
      a = {};
      a.tag = bytes.unsigned_leb();
      a.children = bytes.fixed(1) != 0;
      while (bytes.ok()) {
        u64 attribute = bytes.unsigned_leb(), form = bytes.unsigned_leb();
        if (attribute == 0 && form == 0) break;
        a.attributes.emplace_back(attribute, form);
      }
    }
    return false;
  }

  // Reads one entry; returns the body that its children belong to.
  u32 entry(DwarfBytes& bytes, const Abbreviation& abbreviation, u64 offset, u32 around) {
    Body body;
    body.parent = around;
    body.offset = offset;
    body.inlined = abbreviation.tag == tag_inlined_subroutine;
    for (auto [attribute, form] : abbreviation.attributes) value(bytes, attribute, form, body);
    if (abbreviation.tag != tag_subprogram && !body.inlined) return around;
    body.depth = around == none ? 0 : bodies_[around].depth + 1;
    by_offset_.emplace(offset, static_cast<u32>(bodies_.size()));
    bodies_.push_back(std::move(body));
    return static_cast<u32>(bodies_.size()) - 1;
  }

  void value(DwarfBytes& bytes, u64 attribute, u64 form, Body& body) {
    u64 at = bytes.at(), number = 0;
    std::string text;
    switch (form) {
    case 0x01: bytes.skip(address_size_); break; // addr
    case 0x0b:
    case 0x0c:
    case 0x11: number = bytes.fixed(1); break; // data1, flag, ref1
    case 0x05:
    case 0x12: number = bytes.fixed(2); break; // data2, ref2
    case 0x06:
    case 0x13:
    case 0x17: number = bytes.fixed(4); break; // data4, ref4, sec_offset
    case 0x07:
    case 0x14: number = bytes.fixed(8); break; // data8, ref8
    case 0x0d:
    case 0x0f:
    case 0x15: number = bytes.unsigned_leb(); break;   // sdata, udata, ref_udata
    case 0x08: text = bytes.string(); break;           // string
    case 0x0e: text = strp(at, bytes.fixed(4)); break; // strp
    case 0x03: bytes.skip(bytes.fixed(2)); break;      // block2
    case 0x04: bytes.skip(bytes.fixed(4)); break;      // block4
    case 0x0a: bytes.skip(bytes.fixed(1)); break;      // block1
    case 0x09:
    case 0x18: bytes.skip(bytes.unsigned_leb()); break; // block, exprloc
    case 0x19: break;                                   // flag_present
    default: bytes.skip(~u64{0}); break;                // unknown: the rest cannot be read
    }
    auto label = [&] {
      auto found = d_.info.references.find(at);
      return found == d_.info.references.end() ? std::string_view() : found->second;
    };
    switch (attribute) {
    case at_name:
      if (body.name.empty()) body.name = std::move(text);
      break;
    case at_linkage_name:
    case at_mips_linkage_name: body.name = std::move(text); break;
    case at_low_pc: body.low = label(); break;
    case at_high_pc: body.high = label(); break;
    case at_abstract_origin:
    case at_specification: body.origin = unit_start_ + number; break;
    case at_call_file: body.call_file = static_cast<u32>(number); break;
    case at_call_line: body.call_line = static_cast<u32>(number); break;
    case at_call_column: body.call_column = static_cast<u32>(number); break;
    default: break;
    }
  }

  std::string strp(u64 at, u64 offset) {
    auto found = d_.info.references.find(at);
    return d_.strings.string_at(found == d_.info.references.end() ? std::string_view() : found->second,
                                offset);
  }

  void resolve_name(Body& body) {
    u64 origin = body.origin;
    for (u32 hops = 0; body.name.empty() && origin != 0 && hops < 4; ++hops) {
      auto found = by_offset_.find(origin);
      if (found == by_offset_.end()) return;
      body.name = bodies_[found->second].name;
      origin = bodies_[found->second].origin;
    }
  }

  DebugInfo& d_;
  u64 unit_start_ = 0;
  u32 address_size_ = 8;
  std::unordered_map<u64, Abbreviation> abbreviations_;
  std::unordered_map<u64, u32> by_offset_;
  std::vector<Body> bodies_;
};

// Rewrites the locations of one function's instructions, given the spans that fall into it.
class InlineStacks {
public:
  InlineStacks(std::vector<Body> bodies, LineTable& lines, ir::Module& module)
      : bodies_(std::move(bodies)), call_sites_(bodies_.size()), known_(bodies_.size()),
        names_(bodies_.size()), named_(bodies_.size()), lines_(lines), m_(module) {}

  struct Span {
    u32 first, last, body;
  };

  void apply(ir::Function& f, std::vector<Span>& spans) {
    std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.first < b.first; });
    auto outer = [&](const Span& a, const Span& b) {
      return std::pair(bodies_[a.body].depth, a.body) < std::pair(bodies_[b.body].depth, b.body);
    };
    std::priority_queue<Span, std::vector<Span>, decltype(outer)> open(outer); // innermost on top
    std::size_t next = 0;
    for (u32 i = 0; i < f.instructions.size(); ++i) {
      for (; next < spans.size() && spans[next].first <= i; ++next) open.push(spans[next]);
      while (!open.empty() && open.top().last <= i) open.pop();
      if (open.empty() || !f.instructions[i].location.valid()) continue;
      u32 body = open.top().body;
      ir::Location inlined = m_.locations[f.instructions[i].location.value];
      if (inlined.inlined_at.valid()) continue; // .loc said it already
      inlined.inlined_at = call_site(body);
      inlined.function = name_of(body);
      f.instructions[i].location = lines_.intern(inlined);
    }
  }

private:
  ir::NameId name_of(u32 body) {
    if (!named_[body]) names_[body] = lines_.name(bodies_[body].name);
    named_[body] = true;
    return names_[body];
  }

  // Where `body` was called: a location of the body around it, which may be inlined itself.
  ir::LocationId call_site(u32 body) {
    std::vector<u32> chain;
    while (body != none && bodies_[body].inlined && !known_[body]) {
      chain.push_back(body);
      body = bodies_[body].parent;
    }
    ir::LocationId at = body != none && bodies_[body].inlined ? call_sites_[body] : ir::LocationId();
    while (!chain.empty()) {
      const Body& b = bodies_[chain.back()];
      bool nested = b.parent != none && bodies_[b.parent].inlined;
      at = lines_.intern({lines_.file(b.call_file), b.call_line, b.call_column, at,
                          nested ? name_of(b.parent) : ir::NameId()});
      call_sites_[chain.back()] = at;
      known_[chain.back()] = true;
      chain.pop_back();
    }
    return at;
  }

  std::vector<Body> bodies_;
  std::vector<ir::LocationId> call_sites_;
  std::vector<bool> known_;
  std::vector<ir::NameId> names_;
  std::vector<bool> named_;
  LineTable& lines_;
  ir::Module& m_;
};

// `.b8 1, 2` `.b32 label+4` `.b64 label`: appends the values; false at what is none.
bool data(Cursor& c, DebugSection& s) {
  std::string_view type = c.token().text;
  u32 size = type == ".b8" ? 1 : type == ".b16" ? 2 : type == ".b32" ? 4 : type == ".b64" ? 8 : 0;
  if (size == 0) return false;
  c.advance();
  do {
    u64 value = 0;
    if (c.at_identifier() || c.token().kind == TokenKind::directive) {
      s.references.emplace_hint(s.references.end(), s.bytes.size(), c.token().text);
      c.advance();
      if (c.at('+') || c.at('-')) {
        c.advance();
        if (c.token().kind == TokenKind::number) {
          Constant offset;
          if (!parse_constant(c, offset)) return false;
          value = offset.integer;
        } else {
          c.advance(); // a difference of labels: of no use here
        }
      }
    } else {
      Constant constant;
      if (!starts_constant(c.token()) || !parse_constant(c, constant)) return false;
      value = constant.integer;
    }
    for (u32 i = 0; i < size; ++i) s.bytes.push_back(static_cast<char>(value >> (8 * i)));
  } while (c.accept(','));
  return true;
}

} // namespace

std::string DebugSection::string_at(std::string_view label, u64 offset) {
  if (u64* base = labels.find(label)) offset += *base;
  if (offset >= bytes.size()) return {};
  std::size_t end = bytes.find('\0', offset);
  return bytes.substr(offset, end == bytes.npos ? end : end - offset);
}

bool parse_debug_section(Cursor& c, DebugSection& section) {
  if (!c.expect('{', "before the section's contents")) return false;
  while (!c.at('}')) {
    if (c.at_end()) return c.expected("'}' after the section's contents");
    if (c.at_identifier() && c.followed_by(':')) {
      section.labels.insert(c.token().text, section.bytes.size());
      c.advance();
      c.advance();
    } else if (c.token().kind != TokenKind::directive || !data(c, section)) {
      if (c.failed()) return false;
      c.advance();
    }
  }
  c.advance();
  return true;
}

void apply_inline_stacks(DebugInfo& debug, LineTable& lines, ir::Module& module) {
  std::vector<Body> bodies = Reader(debug).run();
  std::unordered_map<u32, std::vector<InlineStacks::Span>> spans;
  for (u32 b = 0; b < bodies.size(); ++b) {
    if (!bodies[b].inlined || bodies[b].low.empty() || bodies[b].high.empty()) continue;
    const CodeLabel* low = debug.code_labels.find(bodies[b].low);
    const CodeLabel* high = debug.code_labels.find(bodies[b].high);
    if (low && high && low->function == high->function && low->instruction < high->instruction)
      spans[low->function].push_back({low->instruction, high->instruction, b});
  }
  InlineStacks stacks(std::move(bodies), lines, module);
  for (auto& [function, in_function] : spans) stacks.apply(module.functions[function], in_function);
}

} // namespace warplens::ptx
