// The table of forms and their types. See random_shapes.h.
#include "oracle/random_shapes.h"

namespace warplens::oracle {
namespace {

#define INTEGERS "u16 u32 u64 s16 s32 s64"
#define BITS "b16 b32 b64"

// clang-format off
constexpr Shape table[] = {
    {"add%", INTEGERS " f16 f16x2 bf16 bf16x2 f32 f64"},
    {"add.sat%", "s32 f16 f32"},
    {"add.rz%", "f32 f64"}, {"add.rm%", "f32 f64"}, {"add.rp%", "f32 f64"},
    {"add.ftz%", "f32"},
    {"sub%", INTEGERS " f16 f16x2 bf16 bf16x2 f32 f64"},
    {"sub.sat%", "s32 f32"}, {"sub.rp%", "f32 f64"},
    {"mul.lo%", INTEGERS}, {"mul.hi%", INTEGERS}, {"mul.wide%", "u16 s16 u32 s32"},
    {"mul%", "f16 f16x2 bf16 bf16x2 f32 f64"}, {"mul.rz%", "f32 f64"}, {"mul.ftz.sat%", "f32"},
    {"mad.lo%", INTEGERS}, {"mad.hi%", INTEGERS}, {"mad.wide%", "u16 s16 u32 s32"},
    {"mad.hi.sat%", "s32"}, {"mad.rn%", "f32 f64"},
    {"fma.rn%", "f16 f16x2 bf16 bf16x2 f32 f64"}, {"fma.rz%", "f32 f64"},
    {"fma.rm%", "f32 f64"}, {"fma.rn.ftz%", "f32"}, {"fma.rn.sat%", "f32"},
    {"mul24.lo%", "u32 s32"}, {"mul24.hi%", "u32 s32"},
    {"mad24.lo%", "u32 s32"}, {"mad24.hi%", "u32 s32"},
    {"div%", INTEGERS, "..n"}, {"div.rn%", "f32 f64"}, {"div.rz%", "f32 f64"},
    {"rem%", INTEGERS, "..n"},
    {"abs%", "s16 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64"}, {"abs.ftz%", "f32"},
    {"neg%", "s16 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64"},
    {"min%", INTEGERS " u16x2 s16x2 f16 f16x2 bf16 bf16x2 f32 f64"}, {"min.NaN%", "f16 f32"},
    {"max%", INTEGERS " u16x2 s16x2 f16 f16x2 bf16 bf16x2 f32 f64"}, {"max.ftz%", "f32"},
    {"sad%", INTEGERS},
    {"rcp.rn%", "f32 f64"}, {"rcp.rz%", "f32 f64"},
    {"sqrt.rn%", "f32 f64"}, {"sqrt.rp%", "f32 f64"},
    {"testp.finite%", "f32 f64"}, {"testp.normal%", "f32 f64"},
    {"testp.subnormal%", "f32 f64"}, {"testp.notanumber%", "f32 f64"},

    {"and%", "pred " BITS}, {"or%", "pred " BITS}, {"xor%", "pred " BITS},
    {"not%", "pred " BITS}, {"cnot%", BITS},
    {"lop3%", "b32", "....k"},
    {"shl%", BITS}, {"shr%", BITS " " INTEGERS},
    {"shf.l.wrap%", "b32"}, {"shf.r.wrap%", "b32"},
    {"shf.l.clamp%", "b32"}, {"shf.r.clamp%", "b32"},
    {"popc%", "b32 b64"}, {"clz%", "b32 b64"},
    {"bfind%", "u32 u64 s32 s64"}, {"bfind.shiftamt%", "u32 u64 s32 s64"},
    {"brev%", "b32 b64"},
    {"bfe%", "u32 u64 s32 s64", "..qq"}, {"bfi%", "b32 b64", "...qq"},
    {"bmsk.clamp%", "b32"}, {"bmsk.wrap%", "b32"},
    {"szext.clamp%", "u32 s32"}, {"szext.wrap%", "u32 s32"},
    {"fns%", "b32"},
    {"prmt%", "b32"}, {"prmt%.f4e", "b32"}, {"prmt%.b4e", "b32"},
    {"prmt%.rc8", "b32"}, {"prmt%.ecl", "b32"}, {"prmt%.ecr", "b32"},
    {"prmt%.rc16", "b32"},
    {"dp4a%.u32", "u32 s32"}, {"dp4a%.s32", "u32 s32"},
    {"dp2a.lo%.u32", "u32 s32"}, {"dp2a.hi%.s32", "u32 s32"},

    {"setp.eq%", BITS " " INTEGERS " f16 bf16 f32 f64"}, {"setp.ne%", BITS " " INTEGERS " f16 bf16 f32 f64"},
    {"setp.lt%", INTEGERS " f16 bf16 f32 f64"}, {"setp.le%", INTEGERS " f16 f32 f64"},
    {"setp.gt%", INTEGERS " f16 f32 f64"}, {"setp.ge.and%", INTEGERS " f32 f64", "...."},
    {"setp.lt.or%", INTEGERS " f32 f64", "...."}, {"setp.gt.xor%", INTEGERS " f32 f64", "...."},
    {"setp.lo%", "u16 u32 u64"}, {"setp.hs%", "u16 u32 u64"},
    {"setp.ltu%", "f16 f32 f64"}, {"setp.neu%", "f16 f32 f64"},
    {"setp.num%", "f32 f64"}, {"setp.nan%", "f32 f64"}, {"setp.lt.ftz%", "f32"},
    {"set.lt.u32%", INTEGERS " f32 f64"}, {"set.ge.s32%", INTEGERS " f32 f64"},
    {"set.eq.and.u32%", BITS, "...."}, {"set.gt.f32%", INTEGERS " f32 f64"},
    {"selp%", BITS " " INTEGERS " f32 f64"},
    {"slct%.s32", BITS " " INTEGERS " f32 f64"}, {"slct%.f32", BITS " f32"},

    {"cvt.u8%", "u16 u32 u64 s16 s32 s64"}, {"cvt.s8%", "u16 u32 u64 s16 s32 s64"},
    {"cvt.u16%", "u8 u32 u64 s8 s32 s64"}, {"cvt.s16%", "u8 u32 u64 s8 s32 s64"},
    {"cvt.u32%", "u8 u16 u64 s8 s16 s64"}, {"cvt.s32%", "u8 u16 u64 s8 s16 s64"},
    {"cvt.u64%", "u8 u16 u32 s8 s16 s32"}, {"cvt.s64%", "u8 u16 u32 s8 s16 s32"},
    {"cvt.sat.u8%", "s32 u32 s64"}, {"cvt.sat.s16%", "u32 s32 s64"}, {"cvt.sat.u32%", "s32 s64 u64"},
    {"cvt.rn.f32%", INTEGERS " f64"}, {"cvt.rz.f32%", "u32 u64 s64 f64"}, {"cvt.rp.f32%", "s32 f64"},
    {"cvt.rn.f64%", INTEGERS}, {"cvt.rm.f64%", "u64 s64"}, {"cvt.f64%", "f32"},
    {"cvt.rzi.s32%", "f16 f32 f64"}, {"cvt.rni.u32%", "f16 f32 f64"}, {"cvt.rmi.s64%", "f32 f64"},
    {"cvt.rpi.u64%", "f32 f64"}, {"cvt.rzi.s16%", "f16 f32 f64"}, {"cvt.rzi.u16%", "f32 f64"},
    {"cvt.rni.f32%", "f32"}, {"cvt.rmi.f32%", "f32"}, {"cvt.rpi.f64%", "f64"},
    {"cvt.sat.f32%", "f32"}, {"cvt.ftz.f32%", "f32"}, {"cvt.f32%", "f16 bf16"}, {"cvt.f64%", "f16"},
    {"cvt.rn.f16%", "f32 f64 s16 u32 s32 u64"}, {"cvt.rz.f16%", "f32"},
    {"cvt.rn.bf16%", "f32"}, {"cvt.rz.bf16%", "f32"},
    {"cvt.rn%.f32", "f16x2 bf16x2"},
};

constexpr const char* approximation = "an approximation: the PTX ISA leaves the last bits open";
constexpr const char* video = "a video instruction, which the reference does not know";
constexpr Exempt exemptions[] = {
    {"rsqrt", approximation}, {"sin", approximation}, {"cos", approximation}, {"lg2", approximation},
    {"ex2", approximation}, {"tanh", approximation},
    {"addc", "drawn as whole carry chains"}, {"subc", "drawn as whole carry chains"}, {"madc", "drawn as whole carry chains"},
    {"copysign", "would carry the sign of a NaN, which is not defined, into a number"},
    {"vadd", video}, {"vsub", video}, {"vabsdiff", video}, {"vmin", video}, {"vmax", video}, {"vshl", video},
    {"vshr", video}, {"vmad", video}, {"vset", video}, {"vadd2", video}, {"vsub2", video}, {"vavrg2", video},
    {"vabsdiff2", video}, {"vmin2", video}, {"vmax2", video}, {"vset2", video}, {"vadd4", video}, {"vsub4", video},
    {"vavrg4", video}, {"vabsdiff4", video}, {"vmin4", video}, {"vmax4", video}, {"vset4", video},
};
// clang-format on

#undef INTEGERS
#undef BITS

} // namespace

std::string_view Shape::opcode() const {
  std::string_view spelling = text;
  return spelling.substr(0, spelling.find_first_of(".%"));
}

std::span<const Shape> shapes() { return table; }
std::span<const Exempt> exempt() { return exemptions; }

} // namespace warplens::oracle
