// Kernels of the video instructions. Compilers emit them rarely, so there is one for all forms: it takes the form apart
// when it is called, and computes lane by lane.
#include "sem/video.h"
#include "sim/kernels/target/lanes.h"

namespace warplens::sim {
namespace WARPLENS_TARGET_NAMESPACE {
namespace {

using ir::Comparison;
using ir::Modifier;
using ir::Opcode;
using ir::Type;
using sem::VideoForm, sem::VideoOperation, sem::VideoSecond;

VideoOperation comparison(Comparison c) {
  switch (c) {
  case Comparison::eq: return VideoOperation::equal;
  case Comparison::ne: return VideoOperation::not_equal;
  case Comparison::lt: return VideoOperation::less;
  case Comparison::le: return VideoOperation::less_or_equal;
  case Comparison::gt: return VideoOperation::greater;
  default: return VideoOperation::greater_or_equal;
  }
}

struct Operation {
  VideoOperation operation;
  u8 width; // of an element; 0: no video instruction
};
Operation operation(Opcode opcode, Comparison relation) {
  switch (opcode) {
  case Opcode::vadd: return {VideoOperation::add, 32};
  case Opcode::vsub: return {VideoOperation::sub, 32};
  case Opcode::vabsdiff: return {VideoOperation::absolute_difference, 32};
  case Opcode::vmin: return {VideoOperation::min, 32};
  case Opcode::vmax: return {VideoOperation::max, 32};
  case Opcode::vshl: return {VideoOperation::shift_left, 32};
  case Opcode::vshr: return {VideoOperation::shift_right, 32};
  case Opcode::vmad: return {VideoOperation::multiply_add, 32};
  case Opcode::vset: return {comparison(relation), 32};
  case Opcode::vset2: return {comparison(relation), 16};
  case Opcode::vset4: return {comparison(relation), 8};
  case Opcode::vadd2: return {VideoOperation::add, 16};
  case Opcode::vsub2: return {VideoOperation::sub, 16};
  case Opcode::vavrg2: return {VideoOperation::average, 16};
  case Opcode::vabsdiff2: return {VideoOperation::absolute_difference, 16};
  case Opcode::vmin2: return {VideoOperation::min, 16};
  case Opcode::vmax2: return {VideoOperation::max, 16};
  case Opcode::vadd4: return {VideoOperation::add, 8};
  case Opcode::vsub4: return {VideoOperation::sub, 8};
  case Opcode::vavrg4: return {VideoOperation::average, 8};
  case Opcode::vabsdiff4: return {VideoOperation::absolute_difference, 8};
  case Opcode::vmin4: return {VideoOperation::min, 8};
  case Opcode::vmax4: return {VideoOperation::max, 8};
  default: return {VideoOperation::add, 0};
  }
}
bool is_set(Opcode o) { return o == Opcode::vset || o == Opcode::vset2 || o == Opcode::vset4; }

VideoForm form_of(const Variant& v) {
  auto [op, width] = operation(v.opcode, v.comparison);
  u32 sources = is_set(v.opcode) ? 0 : 1; // vset.a.b has no result type: 0 or 1, or a sum of those
  VideoForm form;
  form.operation = op;
  form.second = v.add   ? VideoSecond::add
                : v.min ? VideoSecond::min
                : v.max ? VideoSecond::max
                        : VideoSecond::none;
  form.width = width;
  form.scale = v.shr7 ? 7 : v.shr15 ? 15 : 0;
  form.signed_result = sources == 1 && v.type[0] == Type::s32;
  form.signed_a = v.type[sources] == Type::s32;
  form.signed_b = v.type[sources + 1] == Type::s32;
  // The sum of the elements is one of full results.
  form.saturate = v.sat && (width == 32 || !v.add);
  form.wrapped = v.wrap;
  form.plus_one = v.po;
  return form;
}

bool takes_three(const VideoForm& form) {
  return form.width != 32 || form.operation == VideoOperation::multiply_add ||
         form.second != VideoSecond::none;
}

void run(const KernelArguments& a) {
  VideoForm form = form_of(a.variant);
  bool three = takes_three(form);
  auto source = [&](u32 s, u32 lane) {
    return static_cast<const u32*>(a.source[s])[(lane & ~31u & a.blocks[s]) + lane % 32];
  };
  for (u32 i = 0; i < a.lanes; ++i)
    static_cast<u32*>(a.destination[0])[i] =
        sem::video(form, source(0, i), source(1, i), three ? source(2, i) : 0);
}
constexpr Kernel two_sources = describe<u32, u32, u32>(&run),
                 three_sources = describe<u32, u32, u32, u32>(&run);

} // namespace

const Kernel* find_video(const Request& r) {
  bool is_video = operation(r.opcode, r.comparison).width != 0;
  if (!is_video || (is_set(r.opcode) && r.comparison == Comparison::none)) return nullptr;
  return takes_three(form_of(make_variant(r))) ? &three_sources : &two_sources;
}

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::sim
