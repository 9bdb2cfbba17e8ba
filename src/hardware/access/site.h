// A site: one static memory instruction, and where in the user's source it stands.
#pragma once
#include "access/access.h"
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

namespace warplens::access {

// A place in source code. Lines and columns are 1-based; 0 where unknown.
struct SourceFrame {
  std::string file{};
  u32 line = 0;
  u32 column = 0;
  std::string function{}; // demangled where known; empty otherwise
  bool operator==(const SourceFrame&) const = default;
};

// Innermost first, then where each was inlined. Immutable and shared: thousands of sites of a module stand at
// one place of a template.
class SourceStack {
public:
  using value_type = SourceFrame;
  using const_iterator = std::vector<SourceFrame>::const_iterator;
  SourceStack() = default;
  SourceStack(std::vector<SourceFrame> frames) {
    if (!frames.empty()) frames_ = std::make_shared<const std::vector<SourceFrame>>(std::move(frames));
  }
  SourceStack(std::initializer_list<SourceFrame> frames) : SourceStack(std::vector<SourceFrame>(frames)) {}
  const std::vector<SourceFrame>& all() const {
    static const std::vector<SourceFrame> none;
    return frames_ ? *frames_ : none;
  }
  const_iterator begin() const { return all().begin(); }
  const_iterator end() const { return all().end(); }
  std::size_t size() const { return all().size(); }
  bool empty() const { return frames_ == nullptr; }
  const SourceFrame& front() const { return all().front(); }
  const SourceFrame& operator[](std::size_t i) const { return all()[i]; }
  bool operator==(const SourceStack& other) const { return frames_ == other.frames_ || all() == other.all(); }

private:
  std::shared_ptr<const std::vector<SourceFrame>> frames_; // null: empty
};

// What the instruction says of its elements; packed and opaque ones are bits.
enum class ElementType : u8 { bits, unsigned_integer, signed_integer, floating };
std::string_view name(ElementType);

// What the addresses of an instruction were computed from. `device`: a __device__ or __managed__ variable. `several`: more
// than one, by which way the program took. `heap`: what malloc() gave to the thread. `spill`: no array of the program, but
// registers that the assembler had too few of.
enum class ArrayKind : u8 { unknown, parameter, shared, constant, device, local, several, heap, spill };
std::string_view name(ArrayKind);

// The array that an instruction goes to, where it is one. A parameter has a name only where the source text is at hand.
struct Array {
  ArrayKind kind = ArrayKind::unknown;
  std::string name{};
  u32 parameter = 0;     // parameter: its index in the PTX function
  u32 parameters = 0;    // parameter: how many that function has
  u32 offset = 0;        // parameter: the byte of a structure that the pointer was read at
  bool indirect = false; // through a pointer that was read from the array: a[i]->x
  bool operator==(const Array&) const = default;
};

// Why two runs may count an access differently: how often it is executed, or where, follows from which thread comes first
// (ir/timing.h).
enum class Timing : u8 {
  none,
  spin,  // in a loop that waits for other threads
  retry, // repeated until no other thread comes between
  race   // follows from who won
};
std::string_view name(Timing); // empty for none

struct Site {
  SiteId id{};
  std::string function{};      // the PTX function that contains it (mangled)
  SourceStack frames{};        // empty without line information
  u32 ptx_line = 0;            // line in the PTX text, 1-based
  std::string opcode{};        // as written, for people: "ld.global.nc.v2.f32"
  Space space = Space::global; // that it names; a generic one names none and may meet others
  Kind kind = Kind::load;
  Cache cache = Cache::none;
  u8 bytes = 4; // per lane and instruction, vectors included
  u8 matrices = 0;
  u8 vector = 1; // elements per lane
  ElementType element = ElementType::bits;
  Array array{};
  // Of an asynchronous copy; Collector gives it to the copy's record in shared memory as its array.
  Array copied_to{};
  Timing timing_dependent = Timing::none;
  AtomicForm atomic = AtomicForm::plain;
  bool operator==(const Site&) const = default;
};

// What each thread has an array of its own of, in local memory.
struct LocalArray {
  std::string name{};
  u64 bytes = 0;     // 0: not known
  u32 parameter = 0; // that it is as large as and may be a copy of, counted from 1; 0: none
  bool operator==(const LocalArray&) const = default;
};
// "list (64 bytes), matrix (4096 bytes)".
std::string text_of(const LocalArray&);
std::string text_of(const std::vector<LocalArray>&);

inline bool is_spill(const Site& site) { return site.array.kind == ArrayKind::spill; }

} // namespace warplens::access
