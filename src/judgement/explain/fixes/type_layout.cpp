// The element's type: an alignment that lets one instruction move it, one array per member, or wider loads.
#include "base/bits.h"
#include "explain/fixes/tools.h"
#include "text/layout.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::explain {

namespace {

bool device_memory(const Situation& s) { return s.question.space == access::Space::global; }

// The footprint of an array whose elements are `size` bytes instead, with no member offset.
Footprint resized(const Situation& s, u32 size) {
  Footprint out = s.footprint;
  for (i64& offset : out.offset)
    offset = (offset - static_cast<i64>(s.target.offset)) / static_cast<i64>(s.target.element.size) * size;
  return out;
}

} // namespace

void align_type(Situation& s, std::vector<advise::Advice>& list) {
  const Type& type = s.target.element;
  bool whole = s.target.accessed.size == type.size && s.target.offset == 0;
  if (!whole || s.manner.pieces.size() < 2 || s.target.subscripts.size() != 1) return;
  for (u32 align : {8u, 16u}) {
    if (align <= type.align || (type.size > align && align == 8 && type.size <= 16 && type.size != 16))
      continue;
    Type aligned = type;
    aligned.align = align;
    aligned.size = static_cast<u32>(align_up(type.size, align));
    Mode manner = s.manner;
    manner.pieces = pieces(aligned);
    if (manner.pieces.size() >= s.manner.pieces.size()) continue;
    advise::Advice out;
    out.rule = findings::uncoalesced(s.manner.kind);
    out.title = fmt::format("Align the type: __align__({})", align);
    out.cause = fmt::format("{} bytes aligned to {} take {} instructions with interleaved addresses; one "
                            "instruction moves 1, 2, 4, 8 or 16 aligned bytes.",
                            type.size, type.align, s.manner.pieces.size());
    out.change =
        fmt::format("Declare the type with __align__({}): {} bytes in {} instead of {}.", align, aligned.size,
                    text::plural(manner.pieces.size(), "instruction"), s.manner.pieces.size());
    out.example = fmt::format("struct __align__({}) {{ … }};", align);
    out.metric =
        s.question.space == access::Space::shared ? advise::Metric::wavefronts : advise::Metric::instructions;
    out.before = s.block;
    predict(s, resized(s, aligned.size), manner, out);
    out.confidence = advise::Confidence::certain;
    offer(list, std::move(out));
    if (manner.pieces.size() == 1) return;
  }
}

// p[i].x → x[i]; a whole structure → one array per word.
void split_structure(Situation& s, std::vector<advise::Advice>& list) {
  const Type &element = s.target.element, &accessed = s.target.accessed;
  bool member = accessed.size < element.size;
  if (!device_memory(s) || s.target.subscripts.size() != 1 || element.fields.empty() ||
      (!member && s.manner.pieces.size() < 2))
    return;
  u32 bytes = member ? accessed.size : s.manner.pieces[0].bytes;
  advise::Advice out;
  Mode manner = s.manner;
  manner.base = align_down(s.manner.base, 256);
  if (member)
    predict(s, resized(s, bytes), manner, out);
  else {
    manner.pieces = {{0, bytes}};
    for (std::size_t i = 0; i < s.manner.pieces.size(); ++i)
      out.after += counted(s, resized(s, bytes), manner);
  }
  out.rule = findings::uncoalesced(s.manner.kind);
  out.title = "One array per member (structure of arrays)";
  out.cause = fmt::format(
      "Neighbouring threads are a whole structure apart, {} bytes, and each instruction uses {} of them.",
      element.size, bytes);
  out.change =
      "Keep each member in an array of its own; neighbouring threads then access neighbouring words.";
  std::string name = s.target.member.empty() ? "member" : s.target.member.substr(1);
  out.example = fmt::format("{}[i] instead of {}[i]{}", name, s.target.array, s.target.member);
  out.metric = metric_of(s);
  out.before = s.block;
  out.confidence = advise::Confidence::certain;
  offer(list, std::move(out));
}

// Consecutive narrow accesses: each thread takes several elements at once, so a quarter of the warps does the
// work.
void vector_loads(Situation& s, std::vector<advise::Advice>& list) {
  u32 bytes = s.target.accessed.size;
  bool plain = s.question.kind == access::Kind::load || s.question.kind == access::Kind::store;
  bool narrow = s.manner.pieces.size() == 1 && bytes <= 8 && s.form.kind == FormKind::consecutive &&
                s.target.element.fields.empty();
  if (!device_memory(s) || !plain || !narrow || s.footprint.offset.size() % warp_size != 0 || s.form.rows > 1)
    return;
  if (s.block.threads != s.footprint.offset.size() || s.question.block.y * s.question.block.z != 1) return;
  u32 wide = 16 / bytes;
  // Thread t of a quarter as many moves what threads wide·t … wide·t + wide − 1 did.
  Footprint fewer;
  for (std::size_t thread = 0; thread < s.footprint.offset.size(); thread += wide) {
    fewer.offset.push_back(s.footprint.offset[thread]);
    fewer.active.push_back(1);
  }
  Mode manner = s.manner;
  manner.pieces = {{0, 16}};
  bool aligned = std::all_of(fewer.offset.begin(), fewer.offset.end(),
                             [&](i64 o) { return (o + static_cast<i64>(manner.base)) % 16 == 0; });
  if (!aligned) return;
  advise::Advice out;
  out.rule = findings::Rule::narrow_access;
  out.title = fmt::format("{} {} per instruction", wide, bytes == 4 ? "words" : "elements");
  out.cause =
      fmt::format("Each instruction moves {} per thread; the widest moves 16.", text::plural(bytes, "byte"));
  out.change = fmt::format("Let each thread handle {} consecutive elements with one 16-byte access: the same "
                           "bytes in fewer instructions.",
                           wide);
  out.example =
      s.target.element.name == "float" ? fmt::format("reinterpret_cast<float4*>({})[i]", s.target.array) : "";
  out.metric = advise::Metric::instructions;
  out.before = s.block;
  predict(s, fewer, manner, out);
  out.confidence = advise::Confidence::possible;
  offer(list, std::move(out));
}

} // namespace warplens::explain
