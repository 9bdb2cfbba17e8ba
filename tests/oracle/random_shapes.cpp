#include "oracle/random_shapes.h"

namespace warplens::oracle {
namespace {

#define INTEGERS "u16 u32 u64 s16 s32 s64"
#define BITS "b16 b32 b64"

// clang-format off
constexpr Shape table[] = {
    {"add", "add%", INTEGERS " f16 f16x2 bf16 bf16x2 f32 f64", "TTT"},
    {"add", "add.sat%", "s32 f16 f32", "TTT"},
    {"add", "add.rz%", "f32 f64", "TTT"}, {"add", "add.rm%", "f32 f64", "TTT"}, {"add", "add.rp%", "f32 f64", "TTT"},
    {"add", "add.ftz%", "f32", "TTT"},
    {"sub", "sub%", INTEGERS " f16 f16x2 bf16 bf16x2 f32 f64", "TTT"},
    {"sub", "sub.sat%", "s32 f32", "TTT"}, {"sub", "sub.rp%", "f32 f64", "TTT"},
    {"mul", "mul.lo%", INTEGERS, "TTT"}, {"mul", "mul.hi%", INTEGERS, "TTT"}, {"mul", "mul.wide%", "u16 s16 u32 s32", "WTT"},
    {"mul", "mul%", "f16 f16x2 bf16 bf16x2 f32 f64", "TTT"}, {"mul", "mul.rz%", "f32 f64", "TTT"}, {"mul", "mul.ftz.sat%", "f32", "TTT"},
    {"mad", "mad.lo%", INTEGERS, "TTTT"}, {"mad", "mad.hi%", INTEGERS, "TTTT"}, {"mad", "mad.wide%", "u16 s16 u32 s32", "WTTW"},
    {"mad", "mad.hi.sat%", "s32", "TTTT"}, {"mad", "mad.rn%", "f32 f64", "TTTT"},
    {"fma", "fma.rn%", "f16 f16x2 bf16 bf16x2 f32 f64", "TTTT"}, {"fma", "fma.rz%", "f32 f64", "TTTT"},
    {"fma", "fma.rm%", "f32 f64", "TTTT"}, {"fma", "fma.rn.ftz%", "f32", "TTTT"}, {"fma", "fma.rn.sat%", "f32", "TTTT"},
    {"mul24", "mul24.lo%", "u32 s32", "TTT"}, {"mul24", "mul24.hi%", "u32 s32", "TTT"},
    {"mad24", "mad24.lo%", "u32 s32", "TTTT"}, {"mad24", "mad24.hi%", "u32 s32", "TTTT"},
    {"div", "div%", INTEGERS, "TTn"}, {"div", "div.rn%", "f32 f64", "TTT"}, {"div", "div.rz%", "f32 f64", "TTT"},
    {"rem", "rem%", INTEGERS, "TTn"},
    {"abs", "abs%", "s16 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64", "TT"}, {"abs", "abs.ftz%", "f32", "TT"},
    {"neg", "neg%", "s16 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64", "TT"},
    {"min", "min%", INTEGERS " u16x2 s16x2 f16 f16x2 bf16 bf16x2 f32 f64", "TTT"}, {"min", "min.NaN%", "f16 f32", "TTT"},
    {"max", "max%", INTEGERS " u16x2 s16x2 f16 f16x2 bf16 bf16x2 f32 f64", "TTT"}, {"max", "max.ftz%", "f32", "TTT"},
    {"sad", "sad%", INTEGERS, "TTTT"},
    {"rcp", "rcp.rn%", "f32 f64", "TT"}, {"rcp", "rcp.rz%", "f32 f64", "TT"},
    {"sqrt", "sqrt.rn%", "f32 f64", "TT"}, {"sqrt", "sqrt.rp%", "f32 f64", "TT"},
    {"testp", "testp.finite%", "f32 f64", "PT"}, {"testp", "testp.normal%", "f32 f64", "PT"},
    {"testp", "testp.subnormal%", "f32 f64", "PT"}, {"testp", "testp.notanumber%", "f32 f64", "PT"},

    {"and", "and%", "pred " BITS, "TTT"}, {"or", "or%", "pred " BITS, "TTT"}, {"xor", "xor%", "pred " BITS, "TTT"},
    {"not", "not%", "pred " BITS, "TT"}, {"cnot", "cnot%", BITS, "TT"},
    {"lop3", "lop3%", "b32", "TTTTk"},
    {"shl", "shl%", BITS, "TTU"}, {"shr", "shr%", BITS " " INTEGERS, "TTU"},
    {"shf", "shf.l.wrap%", "b32", "TTTU"}, {"shf", "shf.r.wrap%", "b32", "TTTU"},
    {"shf", "shf.l.clamp%", "b32", "TTTU"}, {"shf", "shf.r.clamp%", "b32", "TTTU"},
    {"popc", "popc%", "b32 b64", "UT"}, {"clz", "clz%", "b32 b64", "UT"},
    {"bfind", "bfind%", "u32 u64 s32 s64", "UT"}, {"bfind", "bfind.shiftamt%", "u32 u64 s32 s64", "UT"},
    {"brev", "brev%", "b32 b64", "TT"},
    {"bfe", "bfe%", "u32 u64 s32 s64", "TTqq"}, {"bfi", "bfi%", "b32 b64", "TTTqq"},
    {"bmsk", "bmsk.clamp%", "b32", "TTT"}, {"bmsk", "bmsk.wrap%", "b32", "TTT"},
    {"szext", "szext.clamp%", "u32 s32", "TTU"}, {"szext", "szext.wrap%", "u32 s32", "TTU"},
    {"fns", "fns%", "b32", "TTTT"},
    {"prmt", "prmt%", "b32", "TTTT"}, {"prmt", "prmt%.f4e", "b32", "TTTT"}, {"prmt", "prmt%.b4e", "b32", "TTTT"},
    {"prmt", "prmt%.rc8", "b32", "TTTT"}, {"prmt", "prmt%.ecl", "b32", "TTTT"}, {"prmt", "prmt%.ecr", "b32", "TTTT"},
    {"prmt", "prmt%.rc16", "b32", "TTTT"},
    {"dp4a", "dp4a%.u32", "u32 s32", "TTTT"}, {"dp4a", "dp4a%.s32", "u32 s32", "TTTT"},
    {"dp2a", "dp2a.lo%.u32", "u32 s32", "TTTT"}, {"dp2a", "dp2a.hi%.s32", "u32 s32", "TTTT"},

    {"setp", "setp.eq%", BITS " " INTEGERS " f16 bf16 f32 f64", "PTT"}, {"setp", "setp.ne%", BITS " " INTEGERS " f16 bf16 f32 f64", "PTT"},
    {"setp", "setp.lt%", INTEGERS " f16 bf16 f32 f64", "PTT"}, {"setp", "setp.le%", INTEGERS " f16 f32 f64", "PTT"},
    {"setp", "setp.gt%", INTEGERS " f16 f32 f64", "PTT"}, {"setp", "setp.ge.and%", INTEGERS " f32 f64", "PTTp"},
    {"setp", "setp.lt.or%", INTEGERS " f32 f64", "PTTp"}, {"setp", "setp.gt.xor%", INTEGERS " f32 f64", "PTTp"},
    {"setp", "setp.lo%", "u16 u32 u64", "PTT"}, {"setp", "setp.hs%", "u16 u32 u64", "PTT"},
    {"setp", "setp.ltu%", "f16 f32 f64", "PTT"}, {"setp", "setp.neu%", "f16 f32 f64", "PTT"},
    {"setp", "setp.num%", "f32 f64", "PTT"}, {"setp", "setp.nan%", "f32 f64", "PTT"}, {"setp", "setp.lt.ftz%", "f32", "PTT"},
    {"set", "set.lt.u32%", INTEGERS " f32 f64", "UTT"}, {"set", "set.ge.s32%", INTEGERS " f32 f64", "UTT"},
    {"set", "set.eq.and.u32%", BITS, "UTTp"}, {"set", "set.gt.f32%", INTEGERS " f32 f64", "FTT"},
    {"selp", "selp%", BITS " " INTEGERS " f32 f64", "TTTp"},
    {"slct", "slct%.s32", BITS " " INTEGERS " f32 f64", "TTTU"}, {"slct", "slct%.f32", BITS " f32", "TTTF"},

    {"cvt", "cvt.u8%", "u16 u32 u64 s16 s32 s64", "UT"}, {"cvt", "cvt.s8%", "u16 u32 u64 s16 s32 s64", "UT"},
    {"cvt", "cvt.u16%", "u8 u32 u64 s8 s32 s64", "HT"}, {"cvt", "cvt.s16%", "u8 u32 u64 s8 s32 s64", "HT"},
    {"cvt", "cvt.u32%", "u8 u16 u64 s8 s16 s64", "UT"}, {"cvt", "cvt.s32%", "u8 u16 u64 s8 s16 s64", "UT"},
    {"cvt", "cvt.u64%", "u8 u16 u32 s8 s16 s32", "DT"}, {"cvt", "cvt.s64%", "u8 u16 u32 s8 s16 s32", "DT"},
    {"cvt", "cvt.sat.u8%", "s32 u32 s64", "UT"}, {"cvt", "cvt.sat.s16%", "u32 s32 s64", "HT"}, {"cvt", "cvt.sat.u32%", "s32 s64 u64", "UT"},
    {"cvt", "cvt.rn.f32%", INTEGERS " f64", "FT"}, {"cvt", "cvt.rz.f32%", "u32 u64 s64 f64", "FT"}, {"cvt", "cvt.rp.f32%", "s32 f64", "FT"},
    {"cvt", "cvt.rn.f64%", INTEGERS, "GT"}, {"cvt", "cvt.rm.f64%", "u64 s64", "GT"}, {"cvt", "cvt.f64%", "f32", "GT"},
    {"cvt", "cvt.rzi.s32%", "f16 f32 f64", "UT"}, {"cvt", "cvt.rni.u32%", "f16 f32 f64", "UT"}, {"cvt", "cvt.rmi.s64%", "f32 f64", "DT"},
    {"cvt", "cvt.rpi.u64%", "f32 f64", "DT"}, {"cvt", "cvt.rzi.s16%", "f16 f32 f64", "HT"}, {"cvt", "cvt.rzi.u16%", "f32 f64", "HT"},
    {"cvt", "cvt.rni.f32%", "f32", "FT"}, {"cvt", "cvt.rmi.f32%", "f32", "FT"}, {"cvt", "cvt.rpi.f64%", "f64", "GT"},
    {"cvt", "cvt.sat.f32%", "f32", "FT"}, {"cvt", "cvt.ftz.f32%", "f32", "FT"}, {"cvt", "cvt.f32%", "f16 bf16", "FT"}, {"cvt", "cvt.f64%", "f16", "GT"},
    {"cvt", "cvt.rn.f16%", "f32 f64 s16 u32 s32 u64", "NT"}, {"cvt", "cvt.rz.f16%", "f32", "NT"},
    {"cvt", "cvt.rn.bf16%", "f32", "BT"}, {"cvt", "cvt.rz.bf16%", "f32", "BT"},
    {"cvt", "cvt.rn%.f32", "f16x2 bf16x2", "TFF"},
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

std::span<const Shape> shapes() { return table; }
std::span<const Exempt> exempt() { return exemptions; }

} // namespace warplens::oracle
