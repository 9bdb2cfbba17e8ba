// Places, threads and addresses as sentences of a diagnostic. See place.h.
#include "sim/exec/place.h"
#include "ir/origin.h"
#include "sim/program/parameters.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>

namespace warplens::sim {

OpPlace place_of(const Code& code, const Op& op) {
  const ir::Instruction& instruction = code.function->instructions[op.instruction];
  OpPlace out;
  for (const access::SourceFrame& frame : code.module->frames(instruction.location))
    out.spans.push_back({frame.file, frame.line, frame.column, 0});
  out.in_source = !out.spans.empty();
  if (!out.in_source) out.spans.push_back({code.module->name, instruction.ptx_line, 0, 0});
  return out;
}

std::string text_of_place(const OpPlace& place) {
  std::string out = fmt::format("at {}:{}", place.spans[0].file, place.spans[0].line);
  for (const diag::Span& call : std::span(place.spans).subspan(1))
    out += fmt::format(", inlined at {}:{}", call.file, call.line);
  return out;
}

u32 first_thread(const Mask& mask) {
  for (u32 w = 0; w < mask.word.size(); ++w)
    if (mask.word[w] != 0) return w * warp_size + static_cast<u32>(std::countr_zero(mask.word[w]));
  return 0;
}

Mask in_first_cta(const Exec& x, const Mask& mask) {
  u32 first = x.cta_of(first_thread(mask)) * x.shape.cta_warps;
  Mask out;
  for (u32 w = 0; w < x.shape.cta_warps; ++w) out.word[w] = mask.word[first + w];
  return out;
}

// The numbers of the bits that are set: "0-3, 6".
static std::string runs_of(u64 bits) {
  std::vector<std::string> runs;
  for (u32 first = 0; bits >> first != 0; ++first) {
    if (!(bits >> first & 1)) continue;
    u32 begin = first;
    while (first + 1 < 64 && bits >> (first + 1) & 1) ++first;
    runs.push_back(begin == first ? fmt::format("{}", begin) : fmt::format("{}-{}", begin, first));
    if (first == 63) break;
  }
  return fmt::format("{}", fmt::join(runs, ", "));
}

std::string who(const Exec& x, const Mask& mask) {
  Mask mine = in_first_cta(x, mask), all = in_first_cta(x, x.shape.all);
  Dim3 c = x.cta_id(first_thread(mask));
  std::string block = fmt::format("of block ({}, {}, {})", c.x, c.y, c.z);
  u64 warps = 0;
  u32 last = 0;
  for (u32 w = 0; w < x.shape.cta_warps; ++w)
    if (mine.word[w] != 0) warps |= u64{1} << w, last = w;
  bool one = std::has_single_bit(warps);
  if (one && mine.word[last] != all.word[last])
    return fmt::format("{} {} of warp {} {}", std::has_single_bit(mine.word[last]) ? "thread" : "threads",
                       runs_of(mine.word[last]), last, block);
  return fmt::format("{} {} {}", one ? "warp" : "warps", runs_of(warps), block);
}

static std::string name_of(const Allocation& allocation) {
  std::string out = allocation.name.empty() ? fmt::format("allocation {}", allocation.serial)
                                            : fmt::format("'{}'", allocation.name);
  out += fmt::format(" ({} bytes at {:#x}", allocation.size, allocation.address);
  return out + (allocation.made.empty() ? ")" : fmt::format(", allocated at {})", allocation.made));
}

u64 offset_in_shared(const Exec& x, u64 address) {
  return address - std::min<u64>(address, x.launch.entry->function->reserved_shared);
}

std::string outside_shared(const Exec& x, u64 address) {
  return fmt::format("at offset {:#x} is outside the {} bytes of shared memory", offset_in_shared(x, address),
                     offset_in_shared(x, x.shared_bytes()));
}

bool is_host_memory(const Exec& x, u64 address) {
  const Device& device = x.launch.device;
  return !device.memory->mapped(address, 1) && device.is_host && device.is_host(address);
}

static std::string place_inside(const Allocation& allocation, u64 address) {
  const u64 offset = address - allocation.address;
  return (offset == 0 ? "at the start of " : fmt::format("{} bytes into ", offset)) + name_of(allocation);
}

std::string describe_address(const Exec& x, u64 address) {
  const Memory& memory = *x.launch.device.memory;
  if (is_host_memory(x, address))
    return "this is memory of the host: on its stack, from malloc or new, or a static variable";
  if (!memory.find(address))
    if (std::optional<Allocation> freed = memory.freed(address))
      return place_inside(*freed, address) + ", which was freed";
  std::optional<Allocation> nearest = memory.nearest(address);
  if (!nearest) return "nothing is allocated on the device";
  const u64 end = nearest->address + nearest->size;
  const u64 distance = address < nearest->address ? nearest->address - address : address - end;
  constexpr u64 farthest = u64{1} << 40; // where a distance in bytes tells nothing
  if (address >= nearest->address && address < end) return place_inside(*nearest, address);
  if (distance >= farthest) return "far from all that is allocated on the device";
  if (address < nearest->address) return fmt::format("{} bytes before {}", distance, name_of(*nearest));
  return (distance == 0 ? "right behind the end of " : fmt::format("{} bytes past the end of ", distance)) +
         name_of(*nearest);
}

std::optional<PointerParameter> pointer_of(const Exec& x, const Op& op) {
  if (x.code != x.launch.entry || !op.site.valid()) return {};
  const ir::Function& function = *x.code->function;
  for (const ir::SiteOrigin& one : ir::origins(*x.code->module, function)) {
    if (one.site != op.site) continue;
    const access::Array array = ir::array_of(*x.code->module, function, one.origin);
    if (array.kind != access::ArrayKind::parameter || array.indirect ||
        array.parameter >= function.parameters.size())
      return {};
    const u64 at =
        u64{parameter_layout(*x.code->module, function).each[array.parameter].first} + array.offset;
    PointerParameter out{array.parameter + 1, 0, {}};
    if (at + sizeof out.value > x.launch.parameters.size()) return {};
    std::memcpy(&out.value, x.launch.parameters.data() + at, sizeof out.value);
    out.target = x.launch.device.memory->find(out.value);
    return out;
  }
  return {};
}

// ", index -3 of 10000 elements of 4 bytes": of an array that begins where the pointer points, with elements as large as the access.
static std::string index_text(const Allocation& array, i64 offset, u32 bytes) {
  if (offset % bytes != 0 || array.size % bytes != 0) return "";
  return fmt::format(", index {} of {} elements of {} bytes", offset / bytes, array.size / bytes, bytes);
}

std::string describe_pointer(const Exec& x, const Op& op, u64 address) {
  const std::optional<PointerParameter> pointer = pointer_of(x, op);
  if (!pointer) return "";
  const std::optional<Allocation>& there = pointer->target;
  const bool at_start = there && pointer->value == there->address;
  const std::string target =
      at_start ? "to " + name_of(*there)
      : there  ? place_inside(*there, pointer->value)
               : fmt::format("to {:#x}, {}", pointer->value,
                            is_host_memory(x, pointer->value) ? "which is memory of the host"
                                                               : "which is in no allocation");
  const i64 offset = static_cast<i64>(address - pointer->value);
  constexpr i64 far = i64{1} << 30;
  const bool overflowed = there && (offset <= -far || offset >= static_cast<i64>(there->size) + far);
  return fmt::format("computed from parameter {}, which points {}; offset of the access: {} bytes{}{}",
                     pointer->parameter, target, offset,
                     at_start ? index_text(*there, offset, x.code->module->sites[op.site.value].bytes) : "",
                     overflowed ? ": is the index too large for 32 bits?" : "");
}

} // namespace warplens::sim
