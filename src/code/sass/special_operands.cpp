// Operands that a row of the table cannot say in its own words: those whose places and names depend on others. See table.def.
#include "sass/fields.h"
#include <unordered_map>

namespace warplens::sass {
namespace {

using Kind = Operand::Kind;

using Style = Operand::Style;

constexpr Modifier byte_of[] = {Modifier::none, Modifier::B1, Modifier::B2, Modifier::B3};

void hide(Operand& o, bool hidden = true) { o.hidden = hidden; }
void add_hidden_if(Decoder& d, Operand o, bool hidden) {
  hide(o, hidden);
  d.add(o);
}

void barrier_predicate(Decoder& d) {
  Operand o;
  hide(o);
  if (d.fields.field(77, 3) == 2)
    o = d.predicate(87, 90);
  else
    d.unused(87, 4);
  d.add(o);
}

void copy_operands(Decoder& d) {
  Fields& f = d.fields;
  const bool by_register = d.options.variant == 'r'; // UR is added to the address in shared memory
  Operand to = d.memory(16), from = d.memory(24);
  to.value = f.field(44, 20);
  from.value = static_cast<u64>(f.signed_field(32, 12));
  const bool described = f.bit(76), uniform = f.bit(91);
  const Operand u = d.uniform(64);
  if (by_register) {
    if (uniform) to.uniform = u.number, to.has_uniform = u.number != zero_register;
    if (described && f.since(Generation::hopper)) {
      from.has_descriptor = true; // the next uniform register holds it
      from.descriptor = static_cast<u8>(u.number == zero_register ? 64 : u.number + 1);
    }
    if (f.bit(f.since(Generation::blackwell) ? 83 : 70) || described) from.part = Modifier::n64;
  } else {
    from.part = f.bit(f.since(Generation::blackwell) ? 83 : 70) ? Modifier::n64 : Modifier::U32;
    if (described) {
      from.has_descriptor = f.since(Generation::hopper);
      from.descriptor = u.number;
      from.part = Modifier::n64;
    } else {
      from.has_register = from.number != zero_register;
      from.uniform = u.number, from.has_uniform = !from.has_register || u.number != zero_register;
    }
  }
  d.add(to);
  d.add(from);
  Operand guard = d.predicate(87, 90);
  hide(guard, guard.number == true_predicate && !guard.negated);
  d.add(guard);
}

// The address in the register at bit 24, with a signed offset.
Operand memory_at(Decoder& d, u32 begin, u32 bits) {
  Operand o = d.memory(24);
  o.value = static_cast<u64>(d.fields.signed_field(begin, bits));
  return o;
}

// [R2+UR4+0x8], whatever the bits for a descriptor say
Operand system_address(Decoder& d) {
  Operand o = memory_at(d, 40, 24);
  o.has_register = o.number != zero_register;
  o.uniform = d.uniform(64).number;
  o.has_uniform = true;
  return o;
}

Operand in_brackets(const Operand& u) {
  Operand o;
  o.kind = Kind::memory;
  o.uniform = u.number;
  o.has_uniform = true;
  return o;
}

Operand uniform_address(Decoder& d) {
  Operand o = in_brackets(d.uniform(24));
  o.value = static_cast<u64>(d.fields.signed_field(40, 24));
  return o;
}

// ---- textures and surfaces

constexpr std::string_view texture_shapes[] = {"1D",       "2D",       "3D", "CUBE",
                                               "ARRAY_1D", "ARRAY_2D", "?",  "ARRAY_CUBE"};

void texture_handle(Decoder& d) {
  Fields& f = d.fields;
  if (d.options.variant == 'c') {
    d.add(hex_operand(f.field(54, 5)));
    d.add(hex_operand(f.field(40, 14)));
  }
  if (d.options.variant == 'u') {
    d.add(d.uniform(40));
    const u32 second = f.field(48, 8); // 255 since sm_100: none
    if (!f.since(Generation::blackwell) || second != 255) d.add(hex_operand(second));
  }
}

void texture_operands(Decoder& d) {
  Fields& f = d.fields;
  const char kind = d.options.kind;
  Operand resident = d.predicate(81);
  hide(resident, resident.number == true_predicate || kind == 'q');
  if (kind == 'q') d.unused(81, 3);
  d.add(resident);
  d.add(d.reg(64));
  d.add(d.reg(16));
  d.add(d.reg(24));
  const u32 mask = f.field(72, 4);
  if (kind == 'q') {
    static constexpr std::string_view what[] = {"TEX_HEADER_DIMENSION", "TEX_HEADER_TEXTURE_TYPE",
                                                "TEX_HEADER_SAMPLER_POS", "?"};
    d.add(word_operand(what[f.field(62, 2)]));
    texture_handle(d);
  } else {
    Operand second = d.reg(32);
    hide(second,
         (kind == 'l' || (kind == 'x' && f.since(Generation::blackwell))) && second.number == zero_register);
    d.add(second);
    texture_handle(d);
    const std::string_view shape = texture_shapes[f.field(61, 3)];
    if (shape == "?") d.refuse();
    d.add(word_operand(shape));
  }
  Operand components = hex_operand(mask);
  hide(components, mask == 15);
  d.add(components);
}

// ---- matrices

Operand fragment(Decoder& d, u32 at, u32 reuse, Modifier part = Modifier::none) {
  Operand o = d.reg(at, reuse);
  o.part = part;
  return o;
}

void sparse_metadata(Decoder& d) {
  d.add(d.reg(40));
  d.add(hex_operand(d.fields.field(48, 2)));
}

void half_matrix_operands(Decoder& d) {
  Fields& f = d.fields;
  const bool old =
      (f.opcode12() & 0x1ff) == 0x36 || (d.out.opcode == Opcode::QMMA && !f.since(Generation::hopper));
  auto order = [&](u32 bit) { return !old ? Modifier::none : f.bit(bit) ? Modifier::COL : Modifier::ROW; };
  d.add(d.reg(16));
  d.add(fragment(d, 24, 122, order(73)));
  d.add(fragment(d, 32, 123, order(74)));
  d.add(fragment(d, 64, 124));
  if (!old && f.bit(73)) sparse_metadata(d);
}

void integer_matrix_operands(Decoder& d) {
  Fields& f = d.fields;
  d.add(d.reg(16));
  d.add(fragment(d, 24, 122, f.bit(73) ? Modifier::COL : Modifier::ROW));
  d.add(fragment(d, 32, 123, f.bit(74) ? Modifier::COL : Modifier::ROW));
  d.add(fragment(d, 64, 124));
  if (d.options.kind == 's' && f.bit(72)) sparse_metadata(d);
}

void warpgroup_matrix_operands(Decoder& d) {
  Fields& f = d.fields;
  const bool from_registers = d.options.variant == 'a';
  d.add(d.reg(16));
  if (from_registers) d.add(d.reg(24));
  Operand descriptor = word_operand("gdesc");
  descriptor.kind = Kind::memory;
  descriptor.uniform = d.uniform(from_registers ? 32 : 24).number;
  if (f.bit(61)) descriptor.part = Modifier::tnspA;
  if (f.bit(62)) descriptor.suffix = Modifier::tnspB;
  d.add(descriptor);
  d.add(d.reg(64));
  Operand scale = d.predicate(87, 90, true); // stored as 7 - n
  scale.number = static_cast<u8>(7 - scale.number);
  hide(scale, scale.number == true_predicate && !scale.negated);
  d.add(scale);
  const u32 group = f.field(84, 3);
  if (group != 0 && group != 7) d.refuse();
  Operand name = word_operand("gsb0");
  hide(name, group == 7);
  d.add(name);
}

void lea_operands(Decoder& d) {
  Fields& f = d.fields;
  const bool u = d.options.uniform, high = f.bit(80), extended = f.bit(74), sign = f.bit(73);
  d.add(u ? d.uniform(16) : d.reg(16));
  Operand carry = d.predicate(81, 0, u);
  hide(carry, carry.number == true_predicate);
  d.add(carry);
  Operand a = u ? d.uniform(24) : d.reg(24, 122);
  (extended ? a.inverted : a.negated) = f.bit(72);
  d.add(a);
  const u32 form = f.form();
  d.add(d.source('B', form == 1 || form == 5 || form == 6 ? "-x" : ""));
  Operand c;
  hide(c);
  if (high && !sign) c = d.source('C', "");
  if (!high || sign) d.unused(64, 8);
  d.add(c);
  d.add(hex_operand(f.field(75, 5)));
  Operand in;
  hide(in);
  if (extended)
    in = d.predicate(87, 90, u);
  else
    d.unused(87, 4);
  d.add(in);
}

void logic_operands(Decoder& d) {
  Fields& f = d.fields;
  const bool u = d.options.uniform;
  Operand p = d.predicate(81, 0, u);
  hide(p, p.number == true_predicate);
  d.add(p);
  d.add(u ? d.uniform(16) : d.reg(16));
  for (char which : {'A', 'B', 'C'}) d.add(d.source(which, ""));
  d.add(hex_operand(f.field(72, 8)));
  d.add(d.predicate(87, 90, u));
}

void convert_source(Decoder& d) {
  Fields& f = d.fields;
  Operand o = d.source('B', "");
  if (o.kind != Kind::immediate) {
    const u32 part = f.field(60, 2);
    const u32 from = f.field(84, 3);
    if (part > 1 || (part == 1 && from != 1 && from != 4)) return d.refuse(); // halves of 16 bits
    if (part == 1) o.part = Modifier::H1;
    o.absolute = f.bit(62), o.negated = f.bit(63);
  }
  d.add(o);
}

void integer_source(Decoder& d) { // of I2F
  Fields& f = d.fields;
  Operand o = d.source('B', "");
  const u32 from = f.field(84, 2);
  if (o.kind == Kind::immediate)
    o.style = f.bit(74) ? Style::signed_hex : Style::hex;
  else if (from == 0)
    o.part = byte_of[f.field(60, 2)];
  else if (from == 1)
    o.part = f.field(60, 2) == 1 ? Modifier::H1 : Modifier::none;
  if (o.kind != Kind::immediate && f.field(60, 2) != 0 && o.part == Modifier::none) d.refuse();
  d.add(o);
}

void branch_operands(Decoder& d) {
  Fields& f = d.fields;
  Operand second = d.predicate(87, 90);
  hide(second, second.number == true_predicate && !second.negated);
  d.add(second);
  Operand mask;
  hide(mask);
  const u32 kind = f.field(32, 2);
  if ((kind == 2 || kind == 3) && f.bit(91)) {
    mask = d.uniform(24);
    mask.inverted = !f.since(Generation::blackwell) && f.bit(30);
  }
  d.add(mask);
  d.add(d.target());
}

Operand absolute_target(Decoder& d) {
  Operand o;
  o.kind = Kind::target;
  o.value = d.fields.wide_field(34, 48) << 2;
  return o;
}

// "R20 0x0": a register, and what is added to it
void relative(Decoder& d, const Operand& base, bool absolute) {
  d.add(base);
  const i64 far = d.displacement() + (absolute ? static_cast<i64>(d.out.address + instruction_bytes) : 0);
  Operand o = hex_operand(static_cast<u64>(far));
  o.style = Style::signed_hex, o.bits = 64, o.joined = true;
  d.add(o);
}

constexpr std::string_view convergence_registers[] = {"THREAD_STATE_ENUM.0",
                                                      "THREAD_STATE_ENUM.1",
                                                      "THREAD_STATE_ENUM.2",
                                                      "THREAD_STATE_ENUM.3",
                                                      "THREAD_STATE_ENUM.4",
                                                      "TRAP_RETURN_PC.LO",
                                                      "TRAP_RETURN_PC.HI",
                                                      "TRAP_RETURN_MASK",
                                                      "MEXITED",
                                                      "MKILL",
                                                      "MACTIVE",
                                                      "MATEXIT",
                                                      "OPT_STACK",
                                                      "API_CALL_DEPTH",
                                                      "ATEXIT_PC.LO",
                                                      "ATEXIT_PC.HI"};

void convergence_register(Decoder& d) { // of BMOV
  const u32 n = d.fields.field(24, 6);
  if (n >= 32) return d.refuse();
  if (n >= 16) return d.add(word_operand(convergence_registers[n - 16]));
  Operand o;
  o.kind = Kind::barrier, o.number = static_cast<u8>(n);
  d.add(o);
}

void scoreboards(Decoder& d) {                             // that DEPBAR waits for
  Operand waited_for = hex_operand(d.fields.field(32, 6)); // scoreboards
  waited_for.style = Style::set;
  hide(waited_for, waited_for.value == 0);
  d.add(waited_for);
}

void add_number_but(Decoder& d, u32 begin, u32 bits, u64 left_out) {
  const Operand o = hex_operand(d.fields.field(begin, bits));
  add_hidden_if(d, o, o.value == left_out);
}

// So many bytes behind the instruction.
void add_target(Decoder& d, u64 distance) {
  Operand o;
  o.kind = Kind::target;
  o.value = d.out.address + instruction_bytes + distance;
  d.add(o);
}

// c[bank][UR + offset]
Operand constant_at(Decoder& d, u64 offset) {
  Operand o;
  o.kind = Kind::constant;
  o.value = offset;
  o.bank = static_cast<u8>(d.fields.field(54, 5));
  o.uniform = d.uniform(24).number, o.has_uniform = true;
  return o;
}

void function_source(Decoder& d) { // of MUFU
  Operand o = d.source('B', "-|");
  const u32 function = d.fields.field(74, 6);
  if (o.kind == Kind::immediate && d.fields.field(72, 2) != 0) d.refuse();
  if (o.kind == Kind::immediate && (function == 6 || function == 7)) o.style = Style::f64;
  if (o.kind == Kind::reg && d.fields.field(72, 2) != 0 && d.fields.bit(60)) o.part = Modifier::H1;
  d.add(o);
}

// F2FP: what is packed, or unpacked, and what it is merged into.
void first_packed(Decoder& d) {
  Fields& f = d.fields;
  const bool now = f.since(Generation::ada);
  if (now && f.bit(89)) {
    f.field(24, 8);
    return add_hidden_if(d, {}, true);
  }
  const Operand o = now && f.field(73, 2) != 0 ? d.reg(24, 122) : d.source('A', "-|");
  add_hidden_if(d, o, o.number == zero_register && (now ? f.field(73, 2) != 0 : f.bit(78)));
}
void second_packed(Decoder& d) {
  const bool unpack = d.fields.since(Generation::ada) && d.fields.bit(89);
  if (unpack && d.fields.bit(86)) return d.add(d.source('B', ""));
  Operand o = d.source('B', unpack ? "" : "-|");
  if (unpack && d.fields.bit(88)) o.part = Modifier::H1;
  d.add(o);
}
void merged_into(Decoder& d) {
  Operand o = d.source('C', "");
  const bool now = d.fields.since(Generation::ada), unpacks = now && d.fields.bit(89);
  const bool halves = now && d.fields.field(76, 2) > 1 && d.fields.field(73, 2) == 1;
  hide(o, (!d.fields.bit(78) && !halves) || unpacks);
  if (unpacks && !d.fields.bit(86)) d.unused(78, 1), d.fields.bit(78) ? d.refuse() : void();
  d.add(o);
}

void clamping_predicate(Decoder& d) { // .RELU by a predicate
  const Operand o = d.predicate(87, 90);
  const bool hidden = !d.fields.bit(79);
  if (hidden) d.unused(87, 4);
  add_hidden_if(d, o, hidden);
}

void loading_predicate(Decoder& d) { // of PLDG: stored as 7 - n
  const u32 n = d.fields.field(64, 3);
  Operand o = d.predicate(64, 67);
  o.number = static_cast<u8>(7 - n);
  add_hidden_if(d, o, n == 0 && !o.negated);
}

void plain_address(Decoder& d) {
  Operand o = memory_at(d, 40, 24);
  o.has_register = o.number != zero_register || o.value == 0;
  d.add(o);
}

void uniform_constant(Decoder& d) { // of LDCU
  Operand o = constant_at(d, static_cast<u64>(d.fields.signed_field(37, 17)));
  o.has_uniform = o.uniform != zero_register || o.value == 0;
  d.add(o);
}

void where_to_meet(Decoder& d) { // of WARPSYNC, since Hopper
  add_hidden_if(d, d.fields.bit(86) ? d.target() : Operand{}, !d.fields.bit(86));
}
void lanes_by_register(Decoder& d) { // of WARPSYNC
  const bool hopper = d.fields.since(Generation::hopper);
  d.add(d.reg(hopper ? 24 : 32));
  if (hopper) return where_to_meet(d);
  add_hidden_if(d, {}, true);
}
void lanes_by_number(Decoder& d) {
  if (!d.fields.since(Generation::hopper)) return d.add(hex_operand(d.fields.field(32, 32)));
  where_to_meet(d);
}

void scoreboards_of_depbar(Decoder& d) {
  static constexpr std::string_view names[] = {"SB0", "SB1", "SB2", "SB3", "SB4", "SB5", "SB6", "SB7"};
  d.add(word_operand(names[d.fields.field(44, 3)]));
  d.add(hex_operand(d.fields.field(38, 6)));
  scoreboards(d);
}

void cache_lines(Decoder& d) { // of CCTL
  const Operand o = memory_at(d, 32, 32);
  const u32 what = d.fields.field(87, 4);
  const bool all = o.number == zero_register && (what == 4 || what >= 7);
  if (all && (o.value != 0 || d.fields.bit(72))) d.refuse();
  add_hidden_if(d, o, all);
}

void counted_address(Decoder& d) {
  Operand o = system_address(d);
  o.part = d.fields.bit(d.fields.since(Generation::blackwell) ? 90 : 70) ? Modifier::n64 : Modifier::U32;
  d.add(o);
}

void queried_address(Decoder& d) { // of QSPC
  Operand o = memory_at(d, 40, 24);
  if (d.fields.form() != 4) return d.add(o);
  o.has_register = o.number != zero_register;
  o.uniform = d.uniform(32).number, o.has_uniform = true;
  if (d.fields.bit(90)) o.part = Modifier::n64;
  d.add(o);
}

void bulk_addresses(Decoder& d) {
  d.add(in_brackets(d.uniform(32)));
  d.add(in_brackets(d.uniform(24)));
}
void tensor_operands(Decoder& d) {
  bulk_addresses(d);
  if (d.options.variant == 'm') d.add(d.uniform(64));
  if (!d.fields.bit(76)) return;
  Operand o = word_operand("desc"); // of the cache
  o.kind = Kind::memory, o.uniform = d.uniform(40).number;
  d.add(o);
}

void far_address(Decoder& d) { // of STAS: a 64-bit register
  Operand o = memory_at(d, 40, 24);
  o.part = Modifier::n64;
  d.uniform(64);
  d.fields.field(90, 2);
  d.add(o);
}

void byte_of_register(Decoder& d) {
  Operand o = d.reg(24, 122);
  o.part = byte_of[d.fields.field(76, 2)];
  d.add(o);
}

void signs(Decoder& d) { // of PLOP3
  for (char which : {'A', 'B', 'C'}) {
    Operand o = d.source(which, "");
    o.part = Modifier::SIGN;
    d.add(o);
  }
}

using Operands = void (*)(Decoder&);

const std::unordered_map<std::string_view, Operands>& operand_functions() {
  static const std::unordered_map<std::string_view, Operands> functions = {
      {"lea", lea_operands},
      {"lop", logic_operands},
      {"cvtsrc", convert_source},
      {"ifsrc", integer_source},
      {"bra", branch_operands},
      {"bmov", convergence_register},
      {"ldgsts", copy_operands},
      {"tx", texture_operands},
      {"th", texture_handle},
      {"hmma", half_matrix_operands},
      {"imma", integer_matrix_operands},
      {"gmma", warpgroup_matrix_operands},
      {"barp", barrier_predicate},
      {"abs", [](Decoder& d) { d.add(absolute_target(d)); }},
      {"sysa", [](Decoder& d) { d.add(system_address(d)); }},
      {"uaddr", [](Decoder& d) { d.add(uniform_address(d)); }},
      {"rel", [](Decoder& d) { relative(d, d.reg(24), false); }},
      {"relabs", [](Decoder& d) { relative(d, d.reg(24), true); }},
      {"urel", [](Decoder& d) { relative(d, d.uniform(24), false); }},
      {"ret", [](Decoder& d) { relative(d, d.reg(24), !d.fields.bit(85)); }},
      {"bdst", // BSSY
       [](Decoder& d) { add_target(d, static_cast<u64>(d.fields.signed_field(34, 30) * 4)); }},
      {"lepc",
       [](Decoder& d) { add_target(d, d.fields.wide_field(16 + 8, 8) | d.fields.wide_field(34, 48) << 8); }},
      {"brau", [](Decoder& d) { d.add(d.predicate(24, 27, true)); }},
      {"mufu", function_source},
      {"ffa", first_packed},
      {"ffb", second_packed},
      {"mergec", merged_into},
      {"relu", clamping_predicate},
      {"vote",
       [](Decoder& d) {
         const Operand o = d.reg(16);
         add_hidden_if(d, o, o.number == zero_register);
       }},
      {"uvote",
       [](Decoder& d) {
         const Operand o = d.uniform(16);
         add_hidden_if(d, o, o.number == zero_register);
       }},
      {"btr",
       [](Decoder& d) {
         const Operand o = d.predicate(81);
         add_hidden_if(d, o, o.number == true_predicate);
       }},
      {"pldg", loading_predicate},
      {"gld", [](Decoder& d) { d.add(memory_at(d, 32, 32)); }}, // generic, without a uniform register
      {"plain", plain_address},
      {"bare", [](Decoder& d) { d.add(d.memory(24)); }},
      {"imm64",
       [](Decoder& d) {
         d.add(hex_operand(d.fields.wide_field(24, 40) | d.fields.wide_field(64, 24) << 40));
       }},
      {"ulx", [](Decoder& d) { d.add(constant_at(d, d.fields.field(38, 16))); }}, // ULDC with an index
      {"ldcu", uniform_constant},
      {"wsync", lanes_by_register},
      {"wsynci", lanes_by_number},
      {"scoreboards", scoreboards},
      {"depbar", scoreboards_of_depbar},
      {"cctl", cache_lines},
      {"popca", counted_address},
      {"qspc", queried_address},
      {"lanes", [](Decoder& d) { add_number_but(d, 72, 4, 15); }},
      {"barn", [](Decoder& d) { add_number_but(d, 42, 12, 0); }}, // how many threads, if a number says it
      {"pmask", [](Decoder& d) { add_number_but(d, 32, 32, 0xff); }},
      {"rbyte", byte_of_register},
      {"bulk", [](Decoder& d) { bulk_addresses(d), d.add(d.uniform(64)); }},
      {"tma", tensor_operands},
      {"far", far_address},
      {"rpc", [](Decoder& d) { d.add(word_operand(d.fields.bit(31) ? "Rpc.HI" : "Rpc.LO")); }},
      {"sign", signs},
  };
  return functions;
}

} // namespace

void special_operands(Decoder& d, std::string_view name) {
  auto found = operand_functions().find(name);
  if (found == operand_functions().end()) return d.refuse();
  found->second(d);
}

} // namespace warplens::sass
