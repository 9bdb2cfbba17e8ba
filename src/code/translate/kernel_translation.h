// One kernel on its way from machine code to PTX. Internal to the room; translate.h explains.
#pragma once
#include "sass/instruction.h"
#include "translate/image.h"
#include <bit>
#include <fmt/format.h>
#include <set>
#include <vector>

namespace warplens::translate {

using sass::Instruction;
using sass::Modifier;
using sass::Opcode;
using sass::Operand;
using OperandKind = Operand::Kind;

// RZ, URZ; also of an operand that is not there.
inline bool is_zero(const Operand& o) {
  return (o.kind == OperandKind::reg || o.kind == OperandKind::uniform) && o.number == sass::zero_register;
}
inline bool nothing(const Operand& o) { return o.kind == OperandKind::none || is_zero(o); }
// A predicate that is written.
inline bool wanted(const Operand& p) {
  return p.kind != OperandKind::none && p.number != sass::true_predicate;
}

// A predicate as an operand: a constant, or a register and its sign.
struct Predicate {
  bool is_constant = false, value = false; // PT: true
  std::string name;
  bool negated = false;
};

// Where the lanes that a branch sends apart wait for each other, or, of a jump, where the region that it opens ends.
struct Meeting {
  u32 branch = 0; // line of the branch
  u32 label = 0;  // line of the label where its lanes meet; 0: at the end of the kernel
};

class Kernel {
public:
  Kernel(const Image& image, const KernelImage& kernel, std::vector<Instruction> code);

  // False: `why` says which instruction is in the way.
  bool translate();
  const std::string& why() const { return why_; }
  std::string text(); // of the entry, from ".visible .entry" to the closing brace

  const std::set<std::string>& builtins() const { return builtins_; }
  bool uses_tables() const { return uses_tables_; }
  const std::vector<Instruction>& code() const { return code_; }

  std::vector<Meeting> meetings;                 // lines counted from the entry's first
  std::vector<std::pair<u32, u64>> instructions; // line → offset of the machine instruction

private:
  struct Place { // an instruction, called from there
    u32 context = 0;
    u64 offset = 0;
    auto operator<=>(const Place&) const = default;
  };

  struct Pair { // the numbers of its registers, as number_of() has them
    u32 low = 0, high = 0;
    auto operator<=>(const Pair&) const = default;
  };
  using Pairs = std::set<Pair>;
  static constexpr u32 uniform_registers = 256; // their numbers begin here

  // ---- writing (kernel_translation.cpp)
  void line(std::string_view text);
  template <class... T> void put(fmt::format_string<T...> format, T&&... values) { // unguarded
    line(fmt::format(format, std::forward<T>(values)...));
  }
  template <class... T>
  void act(fmt::format_string<T...> format, T&&... values) { // under the instruction's guard
    line(guard_ + fmt::format(format, std::forward<T>(values)...));
  }
  bool refuse(std::string_view reason = "is not translated");

  // ---- operands (kernel_translation.cpp)
  const Operand& at(std::size_t n) const { return now_->operands()[n]; }
  bool has(Modifier m) const { return now_->has(m); }
  std::string temporary();      // %t: 32 bits, until the instruction's end
  std::string wide_temporary(); // %e: 64 bits
  std::string predicate_temporary();
  std::string read(const Operand&);         // 32 bits, without its signs
  std::string read_integer(const Operand&); // with its sign or complement
  std::string read_float(const Operand&);   // f32
  std::string read_half(const Operand&);    // two halves
  std::string read_halves(const Operand&);  // two integers of 16 bits
  std::string read_double(const Operand&);
  std::string half_of(const Operand&, u32 n); // the n-th register of a group, without signs
  Predicate predicate(const Operand&) const;
  std::string predicate_register(const Operand&); // as a name, whatever it is
  std::string constant(u32 bank, u64 offset);     // 32 bits of a constant bank
  std::string load_parameter(const std::string& name, u64 offset) const;
  std::string load_launch_state(const std::string& name, u64 offset);
  std::string load_address(const std::string& name, u64 offset);
  std::string load_half(const std::string& name, const SymbolAddress& of, bool high);
  std::string relocated(const Relocated&);
  std::string wide_constant(u32 bank, u64 offset);
  // For an access at `place` of the bank, a register that holds a sum with `offset`.
  std::string start_of_bank(u32 bank, u64 offset, const std::string& place);
  std::string start_of(u32 bank, u64 offset, const std::string& what);
  static std::string sign(const Predicate& p) { return (p.negated ? "!" : "") + p.name; }

  std::string target(const Operand&);             // of a result of 32 bits
  std::string targets(const Operand&, u32 count); // "{%r4, %r5}"
  std::string sources(const Operand&, u32 count);
  void select(const Operand& d, const Predicate&, const std::string& a, const std::string& b); // p ? a : b
  std::string register_name(const Operand&, u32 add = 0);
  void write(const Operand&, const std::string& value);
  void write_predicate(const Operand&, const std::string& name, bool inverted = false);
  void set_predicate(const Operand&, bool value);
  // Writes P = value op r, Q = !value op r, as ISETP and its like do.
  void write_comparison(const Operand& p, const Operand& q, const std::string& value, const Predicate& with);
  std::string carry(const std::string& value, const Predicate&); // value + (p ? 1 : 0)
  std::string as_number(const Predicate&, u32 if_true = 1);
  void add_with_carry(const char* type, const std::string& sum, const std::string& a, const std::string& b,
                      const Predicate& in, const Operand& out); // sum = a + b + in; out: its carry

  // ---- 64 bits in two registers (pairs.cpp)
  std::string read_wide(const Operand&); // a pair; an immediate has a sign, of U64, too
  void write_wide(const Operand&, const std::string& value);
  void wrote(const Operand&, u32 registers); // their pairs are no longer what they were
  static u32 number_of(const Operand&);
  static Pair pair_of(const Operand& low); // and the register behind it
  static std::optional<Pair> pair_of(const Operand& low, const Operand& high);
  static std::string name_of(u32 number);
  static std::string wide_name(const Pair&);
  std::string read_pair(const Pair&);
  std::string both(const Operand& low, const Operand& high);
  void arrive(const Place& there);
  Pairs entering(const Place& here) const;
  bool changes(const Instruction& reader, u64 begin, u64 end) const;
  void keep_sum(u64 first, u64 second, const std::optional<Pair>&);
  void find_sum(u64 offset);
  void find_sums();
  void begin_sum();
  bool waits(const Pair&, u64 first) const;
  void add_words(const Instruction& first, const Instruction& second, const std::string& name);
  void take_word(const Pair&, bool is_high);
  void end_sum();
  void want(const Pair&);
  struct Copied {
    u32 to, from; // registers
    Pair source(const Pair& pair) const {
      return {pair.low == to ? from : pair.low, pair.high == to ? from : pair.high};
    }
  };
  static std::optional<Copied> copied_register(const Instruction&);
  std::vector<std::pair<Pair, Pair>> copied_pairs() const; // to, from
  void copy_pairs(std::span<const std::pair<Pair, Pair>>);

  // ---- families; false: not one of theirs
  bool integer();
  bool integer_comparison();
  bool bits();
  bool scaled_product(const char* scale);
  bool checked_division();
  bool special_function();
  bool floating();
  bool doubles();
  bool halves();
  std::string float_source(const Operand&, const char*& type);
  bool to_integers();
  bool from_integers();
  bool packed_floats();
  bool conversion();
  bool moves();
  bool memory();
  bool atomics();
  bool textures();
  bool warp();
  bool asynchronous();
  bool control();

  bool add3();
  bool add_wide();
  bool multiply_add();
  bool lea();
  bool extreme_of_wide();
  bool logic();
  bool funnel_shift();
  bool predicate_logic();
  std::string truth_table(u32 table, const Predicate (&inputs)[3]); // a predicate's name
  bool load_constant();
  bool load(std::string_view space);
  bool store(std::string_view space);
  std::string sum(const char* type, const std::string& into, const std::string& a, const std::string& b);
  std::string global_address(const Operand&);
  std::string near_address(const Operand&);
  std::string order(bool atomic) const;
  bool matrix();
  bool double_matrix();
  bool to_uniform();
  std::string word_of(const Operand& group, u32 n);
  std::string object(std::size_t first);
  bool fetch();
  bool surface();
  bool reduce_surface(std::string_view shape, std::string_view bounds, const std::string& in);
  bool synchronise();
  bool arrive_at_barrier();
  bool arrive_at_object();
  bool copy_in_bulk();
  bool copy_tensor();
  std::string blocks_of_mask(const Operand&); // for a copy to several blocks
  bool warpgroup_product();
  std::string word_at(const Operand& brackets, u32 n);
  std::string wide_at(const Operand& brackets, u32 add = 0);
  std::string bytes_of(const Operand&);
  std::string chosen_lane();                                                        // a predicate
  template <class... T> bool once(fmt::format_string<T...> format, T&&... values) { // whatever the lanes
    const std::string text = fmt::format(format, std::forward<T>(values)...);
    put("@{} {}", chosen_lane(), text);
    return true;
  }
  bool special_register();
  std::string together();
  struct TakingPart {
    std::string here, acting, acts; // masks, and a predicate
  };
  TakingPart taking_part();
  bool call_builtin();

  // ---- control flow (control.cpp)
  struct Region {
    u32 context;
    u8 barrier;
    u64 meeting; // offset of its BSYNC
    auto operator<=>(const Region&) const = default;
  };
  using Regions = std::vector<Region>;
  const Instruction* code_at(u64 offset) const;
  bool find_places();
  bool calls_register() const;
  std::optional<u64> target_of_call() const;
  bool returns_behind_call() const;
  bool is_jump() const;
  std::pair<Regions, Regions> behind_branch(const Regions& open) const;
  void flow_to(const Place& to, const Regions&, std::vector<Place>& waiting);
  std::string label(const Place& p) const;
  void note_meeting(const Regions& there, const Regions& here);
  std::string guard();
  bool replaces_guard() const;
  std::string whole_condition();
  std::string of_any_lane(const std::string& condition);
  std::string together(const std::string& named, bool are);
  void start_block(const Place& next);
  u32 context_of_call(u64 return_offset, u64 target);
  bool call_from_one_context(const Regions& open, std::vector<Place>& waiting);
  void jump_by_register(const std::map<u64, u64>& targets, const Regions& meeting); // by what names them
  bool write_code(bool across);

  const Image& image_;
  const KernelImage& kernel_;
  std::vector<Instruction> code_;
  std::string body_, why_, guard_;
  u32 lines_ = 0;
  const Instruction* now_ = nullptr;
  Place place_;
  bool in_teams_ = false; // behind WARPSYNC.EXCLUSIVE: %team has the lanes that each lane runs with
  u32 temporaries_ = 0, wide_temporaries_ = 0, predicate_temporaries_ = 0; // of this instruction
  u32 most_temporaries_ = 0, most_wide_ = 0, most_predicates_ = 0;
  struct Constant {
    std::string how; // the instructions that load it
    u64 first = 0;   // offset of the machine instruction that reads it first
  };
  std::map<std::string, Constant> constants_; // what is loaded where the kernel begins, by name
  Pairs pairs_;                               // whose 64-bit register says the same as their two
  std::map<Pair, u64> waiting_pairs_,
      waited_; // will say so where the sum that begins there ends; before this instruction
  std::map<Place, std::map<Place, Pairs>> arriving_; // label → where control comes from → what is valid then
  std::map<Place, Pairs> assumed_;                   // label → what was taken to be valid there
  std::map<u64, std::set<u32>> written_;             // by offset: the registers that the instruction writes
  std::set<u64> labelled_;
  struct Sum {   // or copy or shift, of 64 bits in two instructions
    u64 end = 0; // offset of the second
    Pair pair;
    bool late = false;       // its terms are there at the second only
    bool high_first = false; // the first makes the high word
  };
  std::map<u64, Sum> sums_; // by the offset of the first
  std::map<u64, u64> sum_ends_;
  std::map<u32, Pairs> wanted_pairs_;    // by each of their registers
  std::map<u32, std::string> functions_; // register → the function of the runtime that it holds
  std::map<u32, u64> numbers_;           // register → the number that it holds
  std::set<std::string> builtins_;       // their declarations
  bool uses_tables_ = false, falls_ = false;
  std::map<Place, Regions> regions_; // in front of each instruction that control reaches
  std::set<Place> labels_;
  std::map<Place, u32> label_lines_;
  struct Context {
    u32 caller;
    u64 returns_to, entry;
  };
  std::vector<Context> contexts_{{0, 0, 0}};
  bool returns_by_register_ =
      false; // there is one context: functions are called through registers, or call themselves
  std::set<u64> return_sites_; // then: where a register may say that a function returns to
  std::vector<std::pair<u32, Place>> waiting_meetings_; // line of a branch, where its lanes meet
  static constexpr u64 nowhere = ~u64{0};
};

} // namespace warplens::translate
