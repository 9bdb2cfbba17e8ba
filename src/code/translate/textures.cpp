// Textures and surfaces of machine code as PTX. See kernel_translation.h.
//
// What a fetch says goes into two groups of registers: the layer and the coordinates; then how the level is chosen. With .SCR (7.x, 8.x) all
// of it is dealt to the two groups evenly, at most two each. An object that is not the same for all lanes (7.x, 8.x) is a register between the
// two. With gradients the layer comes last. Of the four components those that the mask names are written one after the other, the first two to one pair of registers, the others to
// another. What a texture's numbers are, floats or integers, only the texture knows, so that PTX's type says nothing.
//
// A surface has its layer behind the coordinates, of which the first counts bytes.
//
// The order of the registers was read from code that nvcc 13.0 made for 7.5, 9.0 and 12.0 from kernels in which each is another parameter.
#include "translate/kernel_translation.h"
#include <algorithm>

namespace warplens::translate {

namespace {

struct Shape {
  std::string_view text, ptx; // as machine code and PTX name it
  u32 numbers;                // coordinates without the layer
  bool layered;
  u32 elements; // of PTX's vector
};
constexpr Shape shapes[] = {{"1D", "1d", 1, false, 1},          {"2D", "2d", 2, false, 2},
                            {"3D", "3d", 3, false, 4},          {"CUBE", "cube", 3, false, 4},
                            {"ARRAY_1D", "a1d", 1, true, 2},    {"ARRAY_2D", "a2d", 2, true, 4},
                            {"ARRAY_CUBE", "acube", 3, true, 4}};

const Shape* shape_of_surface(const Instruction& i) {
  if (i.has(Modifier::n1D)) return &shapes[0];
  if (i.has(Modifier::n2D)) return &shapes[1];
  if (i.has(Modifier::n3D)) return &shapes[2];
  if (i.has(Modifier::n1D_ARRAY)) return &shapes[4];
  if (i.has(Modifier::n2D_ARRAY)) return &shapes[5];
  return nullptr;
}

// Where the object is: in constant memory, in a uniform register, or in a register that each lane has its own value of.
enum class Holder : u8 { constant, uniform, reg };
Holder holder(const Instruction& i) {
  const u64 form = i.low >> 8 & 0xf;
  return form == 0xb || form == 0x5 ? Holder::constant : form == 0xf ? Holder::uniform : Holder::reg;
}

// PTX's vector, padded with its last element.
std::string vector(std::vector<std::string> elements, u32 count) {
  elements.resize(std::max<std::size_t>(count, elements.size()), elements.back());
  return fmt::format("{{{}}}", fmt::join(elements, ", "));
}

} // namespace

// The n-th register of a group, as a register.
std::string Kernel::word_of(const Operand& group, u32 n) {
  if (group.number != sass::zero_register) return register_name(group, n);
  const std::string t = temporary();
  put("mov.b32 {}, 0;", t);
  return t;
}

// The object, 64 bits wide. `first`: of the operands that say where it is.
std::string Kernel::object(std::size_t first) {
  const std::string e = wide_temporary();
  if (holder(*now_) == Holder::constant)
    put("cvt.u64.u32 {}, {};", e, constant(static_cast<u32>(at(first).value), 4 * at(first + 1).value));
  else
    put("cvt.u64.u32 {}, {};", e, register_name(at(first)));
  return e;
}

bool Kernel::textures() {
  switch (now_->opcode) {
  case Opcode::TEX:
  case Opcode::TLD:
  case Opcode::TLD4:
  case Opcode::TXD: return fetch();
  case Opcode::SULD:
  case Opcode::SUST:
  case Opcode::SURED: return surface();
  default: return false;
  }
}

bool Kernel::fetch() {
  const Opcode opcode = now_->opcode;
  const std::span<const Operand> operands = now_->operands();
  const auto name =
      std::ranges::find_if(operands, [](const Operand& o) { return o.kind == OperandKind::word; });
  const auto shape =
      name == operands.end() ? std::end(shapes) : std::ranges::find(shapes, name->word, &Shape::text);
  for (Modifier m : {Modifier::AOFFI, Modifier::PTP, Modifier::DC, Modifier::NDV, Modifier::CL, Modifier::MS,
                     Modifier::LB, Modifier::LC})
    if (has(m)) return refuse();
  const bool level = opcode == Opcode::TEX && (has(Modifier::LL) || has(Modifier::LZ)),
             changes = opcode == Opcode::TXD, whole = opcode == Opcode::TLD;
  if (shape == std::end(shapes) || wanted(at(0)) || (whole && (!has(Modifier::LZ) || shape->numbers > 2)) ||
      (changes && shape->ptx.ends_with("cube")))
    return refuse();
  const bool own = holder(*now_) == Holder::reg, zero = has(Modifier::LZ);
  const u32 places = shape->numbers + shape->layered,
            more = changes          ? 2 * shape->numbers
                   : level && !zero ? 1u
                                    : 0u,
            all = places + own + more;
  const u32 in_first = has(Modifier::SCR) ? std::min(2u, (all + 1) / 2) : places;
  std::vector<std::string> words;
  for (u32 n = 0; n < all; ++n)
    words.push_back(n < in_first ? word_of(at(3), n) : word_of(at(4), n - in_first));
  std::string handle;
  if (own) {
    handle = wide_temporary();
    put("cvt.u64.u32 {}, {};", handle, words[places]);
    words.erase(words.begin() + places);
  } else {
    handle = object(5);
  }
  const auto end = words.begin() + places;
  if (changes && shape->layered) std::rotate(words.begin(), end - 1, end); // its layer comes last
  const std::string place = vector({words.begin(), end}, shape->elements);
  std::string rest;
  if (level) rest = ", " + (zero ? std::string("0f00000000") : words.back());
  if (changes) { // of each coordinate along x and along y
    std::vector<std::string> along[2];
    for (u32 n = 0; n < 2 * shape->numbers; ++n) along[n % 2].push_back(end[n]);
    const u32 count = shape->numbers == 3 ? 4 : shape->numbers;
    rest = fmt::format(", {}, {}", vector(along[0], count), vector(along[1], count));
  }
  const u64 mask = operands.back().value;
  std::vector<std::string> results(4, "%sink");
  for (u32 component = 0, n = 0; component < 4; ++component) {
    if ((mask >> component & 1) == 0) continue;
    const Operand& to = at(n < 2 ? 2 : 1);
    results[component] = register_name(to, n % 2);
    ++n;
  }
  const u32 written = static_cast<u32>(std::popcount(mask));
  wrote(at(2), std::min(2u, written));
  if (written > 2) wrote(at(1), written - 2);
  if (opcode == Opcode::TLD4) {
    const std::string_view channel = std::array{"r", "g", "b", "a"}[now_->high >> (87 - 64) & 3];
    act("tld4.{}.{}.v4.f32.f32 {}, [{}, {}];", channel, shape->ptx, vector(results, 4), handle, place);
  } else {
    act("tex{}.{}.v4.f32.{} {}, [{}, {}]{};",
        level     ? ".level"
        : changes ? ".grad"
                  : "",
        shape->ptx, whole ? "s32" : "f32", vector(results, 4), handle, place, rest);
  }
  return true;
}

// SULD P, R, [coordinates], object; SUST and SURED [coordinates], R, object
bool Kernel::surface() {
  const Shape* shape = shape_of_surface(*now_);
  const bool loads = now_->opcode == Opcode::SULD;
  // Formatted: the coordinates count elements, and the surface says what these are.
  const bool formatted = now_->opcode == Opcode::SUST && has(Modifier::P);
  const bool bytes = has(Modifier::D) && has(Modifier::BA);
  if (shape == nullptr || !(formatted || bytes) || (loads && wanted(at(0)))) return refuse();
  const Operand& data = at(1);
  const std::string handle = object(loads ? 3 : 2);
  std::vector<std::string> place;
  for (u32 n = 0; n < shape->numbers + shape->layered; ++n) place.push_back(word_of(at(loads ? 2 : 0), n));
  if (shape->layered) std::ranges::rotate(place, place.end() - 1);
  const std::string in = fmt::format("[{}, {}]", handle, vector(place, shape->elements));
  const std::string_view bounds = has(Modifier::TRAP) ? "trap" : has(Modifier::IGN) ? "zero" : "clamp";
  if (now_->opcode == Opcode::SURED) return reduce_surface(shape->ptx, bounds, in);
  const bool byte = has(Modifier::U8) || has(Modifier::S8), half = has(Modifier::U16) || has(Modifier::S16);
  const u32 count = formatted             ? (has(Modifier::R)    ? 1
                                             : has(Modifier::RG) ? 2
                                                                 : 4)
                    : has(Modifier::n128) ? 4
                    : has(Modifier::n64)  ? 2
                                          : 1;
  const u32 bits = byte ? 8 : half ? 16 : 32;
  const std::string type = fmt::format("{}.{}.{}b{}.{}", formatted ? "p" : "b", shape->ptx,
                                       count > 1 ? fmt::format("v{}.", count) : "", bits, bounds);
  if (!loads) {
    std::vector<std::string> words;
    for (u32 n = 0; n < count; ++n) words.push_back(word_of(data, n));
    act("sust.{} {}, {};", type, in, vector(words, 1));
    return true;
  }
  if (!has(Modifier::S8) && !has(Modifier::S16)) {
    act("suld.{} {}, {};", type, targets(data, count), in);
    return true;
  }
  const std::string t = temporary();
  act("suld.{} {{{}}}, {};", type, t, in);
  act("bfe.s32 {}, {}, 0, {};", target(data), t, bits);
  return true;
}

bool Kernel::reduce_surface(std::string_view shape, std::string_view bounds, const std::string& in) {
  static constexpr std::pair<Modifier, std::string_view> operations[] = {{Modifier::ADD, "add"},
                                                                         {Modifier::MIN, "min"},
                                                                         {Modifier::MAX, "max"},
                                                                         {Modifier::AND, "and"},
                                                                         {Modifier::OR, "or"}};
  const auto operation = std::ranges::find_if(operations, [&](const auto& o) { return has(o.first); });
  if (operation == std::end(operations)) return refuse();
  const bool bitwise = has(Modifier::AND) || has(Modifier::OR),
             wide = has(Modifier::n64) || has(Modifier::S64);
  const bool is_signed = has(Modifier::S32) || has(Modifier::S64);
  const std::string type = fmt::format("{}{}", bitwise ? 'b' : is_signed ? 's' : 'u', wide ? 64 : 32);
  act("sured.b.{}.{}.{}.{} {}, {};", operation->second, shape, type, bounds, in,
      wide ? read_wide(at(1)) : word_of(at(1), 0));
  return true;
}

} // namespace warplens::translate
