// Each structure says once what it consists of, in fields(); a Writer and a Reader go through that one
// description. The members are taken apart by structured bindings, so that a new member does not compile
// before it is written here, too.
//
// Numbers are LEB128, most of them as differences to the one before, so that nearly everything is one byte:
// what is not read need not be fetched, checked or faulted in. Forms are written as text and analysed again;
// strings and source stacks that repeat are written once.
#include "ir/module_bytes.h"
#include "ir/verify.h"
#include <cstring>
#include <type_traits>
#include <unordered_map>

namespace warplens::ir {
namespace {

u64 zigzag(u64 value) { return value << 1 ^ (value >> 63 ? ~u64{0} : 0); }
u64 unzigzag(u64 value) { return value >> 1 ^ (value & 1 ? ~u64{0} : 0); }

class Writer {
public:
  static constexpr bool reads = false;
  void number(const u64& value) {
    u64 rest = value;
    for (; rest >= 0x80; rest >>= 7) out_.push_back(static_cast<std::byte>(rest | 0x80));
    out_.push_back(static_cast<std::byte>(rest));
  }
  void bytes(const void* data, std::size_t size) {
    auto from = static_cast<const std::byte*>(data);
    out_.insert(out_.end(), from, from + size);
  }
  void text(const std::string& value) {
    number(value.size());
    bytes(value.data(), value.size());
  }
  // Text that occurs often.
  void shared(const std::string& value) {
    auto [known, is_new] = texts_.try_emplace(value, texts_.size());
    number(known->second);
    if (is_new) text(value);
  }
  template <class F> void shared(const access::SourceStack& stack, F&& frames) {
    if (stack.empty()) return number(0);
    auto [known, is_new] = stacks_.try_emplace(stack.all().data(), stacks_.size());
    number(known->second + 1);
    if (is_new) frames(const_cast<std::vector<access::SourceFrame>&>(stack.all()));
  }
  bool count(std::size_t size) { return number(size), true; }
  std::vector<std::byte> take() { return std::move(out_); }

private:
  std::vector<std::byte> out_;
  std::unordered_map<std::string, u64> texts_;
  std::unordered_map<const void*, u64> stacks_;
};

class Reader {
public:
  static constexpr bool reads = true;
  explicit Reader(std::span<const std::byte> in) : at_(in.data()), end_(in.data() + in.size()) {}
  bool good() const { return good_; }
  bool at_end() const { return at_ == end_; }
  void fail() {
    good_ = false;
    at_ = end_;
  }
  void number(u64& value) {
    if (at_ != end_ && static_cast<u8>(*at_) < 0x80) {
      value = static_cast<u8>(*at_++);
      return;
    }
    value = 0;
    for (u32 shift = 0; shift < 64 && at_ != end_; shift += 7) {
      u64 byte = static_cast<u8>(*at_++);
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return;
    }
    fail();
  }
  void bytes(void* data, std::size_t size) {
    if (static_cast<std::size_t>(end_ - at_) < size) return fail();
    if (size != 0) std::memcpy(data, at_, size);
    at_ += size;
  }
  void text(std::string& value) {
    if (count_into(value)) bytes(value.data(), value.size());
  }
  void shared(std::string& value) {
    u64 index = 0;
    number(index);
    if (index == texts_.size()) text(texts_.emplace_back());
    if (index >= texts_.size()) return fail();
    value = texts_[index];
  }
  template <class F> void shared(access::SourceStack& stack, F&& frames) {
    u64 index = 0;
    number(index);
    if (index == 0) return;
    if (index == stacks_.size() + 1) {
      std::vector<access::SourceFrame> all;
      frames(all);
      stacks_.emplace_back(std::move(all));
    }
    if (index > stacks_.size()) return fail();
    stack = stacks_[index - 1];
  }
  // Makes `list` as long as the next number says: at most as many elements as bytes are left.
  template <class List> bool count_into(List& list) {
    u64 size = 0;
    number(size);
    if (size > static_cast<u64>(end_ - at_)) return fail(), false;
    list.resize(size);
    return true;
  }

private:
  const std::byte* at_;
  const std::byte* end_;
  bool good_ = true;
  std::vector<std::string> texts_;
  std::vector<access::SourceStack> stacks_;
};

// Numbers that are no enumerator are refused: tables are indexed by them.
constexpr u64 enumerators(Type) { return type_count; }
constexpr u64 enumerators(StateSpace) { return u64{static_cast<u8>(StateSpace::reg)} + 1; }
constexpr u64 enumerators(Operand::Kind) { return u64{static_cast<u8>(Operand::Kind::label)} + 1; }
constexpr u64 enumerators(Part) { return u64{static_cast<u8>(Part::several)} + 1; }
constexpr u64 enumerators(access::Space) { return u64{static_cast<u8>(access::Space::surface)} + 1; }
constexpr u64 enumerators(access::ElementType) {
  return u64{static_cast<u8>(access::ElementType::floating)} + 1;
}
constexpr u64 enumerators(access::ArrayKind) { return u64{static_cast<u8>(access::ArrayKind::spill)} + 1; }
constexpr u64 enumerators(access::Timing) { return u64{static_cast<u8>(access::Timing::race)} + 1; }
constexpr u64 enumerators(access::AtomicForm) { return u64{static_cast<u8>(access::AtomicForm::cast)} + 1; }
constexpr u64 enumerators(access::Kind) { return u64{static_cast<u8>(access::Kind::ldmatrix)} + 1; }
constexpr u64 enumerators(access::Cache) { return u64{static_cast<u8>(access::Cache::volatile_)} + 1; }
constexpr u64 enumerators(Special) {
  u64 n = 0;
#define SPECIAL(...) ++n;
#include "ir/specials.def"
#undef SPECIAL
  return n;
}

template <class T> inline constexpr bool is_id = false;
template <class Tag> inline constexpr bool is_id<Id<Tag>> = true;

template <class A, class T>
requires std::is_integral_v<T> || std::is_enum_v<T>
void part(A& a, T& value) {
  u64 wide = static_cast<u64>(value);
  a.number(wide);
  if constexpr (A::reads) {
    value = static_cast<T>(wide);
    if (static_cast<u64>(value) != wide) a.fail();
    if constexpr (std::is_enum_v<T>)
      if (wide >= enumerators(value)) a.fail(), value = {};
  }
}

// The difference to `before`, which is then the value: small where values follow each other.
template <class A> void step(A& a, u32& value, u32& before) {
  u64 difference = zigzag(static_cast<u64>(i64{value} - i64{before}));
  a.number(difference);
  if constexpr (A::reads) value = before + static_cast<u32>(unzigzag(difference));
  before = value;
}

template <class A, class T>
requires is_id<T>
void part(A& a, T& id) {
  u64 number = id.valid() ? u64{id.value} + 1 : 0;
  a.number(number);
  if constexpr (A::reads) id.value = static_cast<u32>(number - 1);
}

template <class A> void part(A& a, std::string& text) { a.text(text); }

template <class A> void part(A& a, std::vector<std::byte>& bytes) {
  if constexpr (A::reads)
    a.count_into(bytes);
  else
    a.number(bytes.size());
  a.bytes(bytes.data(), bytes.size());
}

template <class A, class T, std::size_t n> void part(A& a, std::array<T, n>& list) {
  for (T& element : list) part(a, element);
}

template <class A, class T, class F> void each(A& a, std::vector<T>& list, F&& element) {
  if constexpr (A::reads)
    a.count_into(list);
  else
    a.number(list.size());
  for (T& e : list) element(e);
}

template <class A, class T> void part(A& a, std::vector<T>& list) {
  each(a, list, [&](T& element) { part(a, element); });
}

template <class A, class... T> void parts(A& a, T&... all) { (part(a, all), ...); }

template <class A> void part(A& a, Register& r) {
  auto& [name, type] = r;
  parts(a, name, type);
}

// One number says the kind and which of the other members differ from what they are by default.
template <class A> void part(A& a, Operand& o) {
  auto& [kind, negated, special, part_of, reg, variable, function, block, value] = o;
  u64 head = static_cast<u64>(kind) | u64{negated} << 3 | u64{reg.valid()} << 4 | u64{value != 0} << 5 |
             u64{variable.valid()} << 6 | u64{special != Special{}} << 7 | u64{function.valid()} << 8 |
             u64{block.valid()} << 9 | u64{part_of != Part::whole} << 10;
  a.number(head);
  if constexpr (A::reads) {
    kind = static_cast<Operand::Kind>(head & 7);
    negated = head >> 3 & 1;
  }
  if (head >> 4 & 1) part(a, reg);
  if (head >> 5 & 1) {
    u64 packed = zigzag(value);
    a.number(packed);
    if constexpr (A::reads) value = unzigzag(packed);
  }
  if (head >> 6 & 1) part(a, variable);
  if (head >> 7 & 1) part(a, special);
  if (head >> 8 & 1) part(a, function);
  if (head >> 9 & 1) part(a, block);
  if (head >> 10 & 1) part(a, part_of);
}

// What the instruction before had: numbers that grow through a function.
struct Before {
  u32 location = 0, line = 0, site = 0, operand = 0, target = 0;
};

template <class A> void part(A& a, Instruction& i, Before& before) {
  auto& [form, guard, negated, location, line, site, operand, destinations, sources, target, targets] = i;
  u64 head = u64{guard.valid()} | u64{negated} << 1 | u64{location.valid()} << 2 | u64{site.valid()} << 3 |
             u64{target != 0 || targets != 0} << 4;
  a.number(head);
  parts(a, form, destinations, sources);
  if constexpr (A::reads) negated = head >> 1 & 1;
  if (head & 1) part(a, guard);
  step(a, line, before.line);
  step(a, operand, before.operand);
  if (head >> 2 & 1) step(a, location.value, before.location);
  if (head >> 3 & 1) step(a, site.value, before.site);
  if (head >> 4 & 1) {
    step(a, target, before.target);
    part(a, targets);
  }
}

template <class A> void part(A& a, Block& b) {
  auto& [first, count, successors] = b;
  parts(a, first, count, successors);
}

template <class A> void part(A& a, Function& f) {
  auto& [name, entry, external, visible, weak, noreturn, alias_of, parameters, results, register_parameters,
         register_results, variables, registers, carry, instructions, operands, targets, blocks, meetings,
         max_threads, required_threads, required_cluster, most_in_cluster, explicit_cluster, min_ctas,
         is_machine_code, reserved_shared, ptx_line] = f;
  parts(a, name, entry, external, visible, weak, noreturn, alias_of, parameters, results, register_parameters,
        register_results, variables, registers, carry);
  Before before;
  each(a, instructions, [&](Instruction& i) { part(a, i, before); });
  parts(a, operands, targets, blocks, meetings, max_threads, required_threads, required_cluster,
        most_in_cluster, explicit_cluster, min_ctas, is_machine_code, reserved_shared, ptx_line);
}

template <class A> void part(A& a, Relocation& r) {
  auto& [offset, size, variable, function, addend, generic, shift] = r;
  parts(a, offset, size, variable, function, addend, generic, shift);
}

template <class A> void part(A& a, Variable& v) {
  auto& [name, space, type, size, alignment, offset, external, visible, weak, managed, opaque, owner, initial,
         relocations] = v;
  parts(a, name, space, type, size, alignment, offset, external, visible, weak, managed, opaque, owner,
        initial, relocations);
}

template <class A> void part(A& a, Location& l) {
  auto& [file, line, column, inlined_at, function] = l;
  parts(a, file, line, column, inlined_at, function);
}

template <class A> void part(A& a, access::SourceFrame& f) {
  auto& [file, line, column, function] = f;
  a.shared(file);
  parts(a, line, column);
  a.shared(function);
}

template <class A> void part(A& a, access::Site& s) {
  // The arrays follow from the instructions, and are asked for where a kernel is launched; machine code's have been told.
  auto& [id, function, frames, ptx_line, opcode, space, kind, cache, bytes, matrices, vector, element, array,
         copied_to, timing_dependent, atomic] = s;
  part(a, id);
  a.shared(function);
  a.shared(frames, [&](std::vector<access::SourceFrame>& all) { part(a, all); });
  part(a, ptx_line);
  a.shared(opcode);
  parts(a, space, kind, cache, bytes, matrices, vector, element, array.kind, array.name, array.parameter,
        array.parameters, array.offset, array.indirect, timing_dependent, atomic);
}

// The text says everything: the parser made the form of it, too.
template <class A> void part(A& a, Form& f) {
  a.text(f.text);
  if constexpr (A::reads) {
    ResultOr<Form, UnknownToken> parsed = parse_form(f.text);
    f = parsed ? std::move(*parsed) : unknown_form(std::string(f.text));
  }
}

template <class A> void part(A& a, Module& m) {
  auto& [name, version_major, version_minor, sm, address_bits, forms, functions, variables, files, names,
         locations, sites] = m;
  parts(a, name, version_major, version_minor, sm, address_bits, forms, functions, variables, files, names,
        locations, sites);
}

} // namespace

std::vector<std::byte> encode(const Module& module) {
  Writer writer;
  part(writer, const_cast<Module&>(module)); // a Writer only looks
  return writer.take();
}

std::optional<Module> decode(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  Module module;
  part(reader, module);
  if (!reader.good() || !reader.at_end() || !verify(module).empty()) return {};
  return module;
}

} // namespace warplens::ir
