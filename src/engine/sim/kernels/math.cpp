// find_math_function(): the __nv_… functions of CUDA's device library (libdevice User's Guide, "Function
// Reference"), which clang leaves as external calls when it compiles without that library.
//
// Two kinds. Those that are one PTX instruction are aliases of its kernel: "__nv_fadd_rz" is add.rz.f32. The
// others are loops over the C library or sem/math.h; they are dominated by those calls, so they exist for one
// target only. Missing on purpose: __nv_norm, __nv_rnorm and their f32 forms, which read an array through a
// pointer.
#include "sem/math.h"
#include "sem/bits.h"
#include "sim/kernels/request.h"
#include <cmath>
#include <string>
#include <unordered_map>
#include <utility>

namespace warplens::sim {
namespace {

// '@' stands for a rounding: rn, rz, ru, rd in the name; rn, rz, rp, rm in the form, or rni … before an 'i'.
struct Alias {
  std::string_view name, form;
  u32 sources;
};
constexpr Alias aliases[] = {{"fadd_@", "add.@.f32", 2},
                             {"fsub_@", "sub.@.f32", 2},
                             {"fmul_@", "mul.@.f32", 2},
                             {"fdiv_@", "div.@.f32", 2},
                             {"frcp_@", "rcp.@.f32", 1},
                             {"fsqrt_@", "sqrt.@.f32", 1},
                             {"fmaf_@", "fma.@.f32", 3},
                             {"dadd_@", "add.@.f64", 2},
                             {"dsub_@", "sub.@.f64", 2},
                             {"dmul_@", "mul.@.f64", 2},
                             {"ddiv_@", "div.@.f64", 2},
                             {"drcp_@", "rcp.@.f64", 1},
                             {"dsqrt_@", "sqrt.@.f64", 1},
                             {"fma_@", "fma.@.f64", 3},
                             {"fmaf_ieee_@", "fma.@.f32", 3},
                             {"double2float_@", "cvt.@.f32.f64", 1},
                             {"double2int_@", "cvt.@i.s32.f64", 1},
                             {"double2uint_@", "cvt.@i.u32.f64", 1},
                             {"double2ll_@", "cvt.@i.s64.f64", 1},
                             {"double2ull_@", "cvt.@i.u64.f64", 1},
                             {"float2int_@", "cvt.@i.s32.f32", 1},
                             {"float2uint_@", "cvt.@i.u32.f32", 1},
                             {"float2ll_@", "cvt.@i.s64.f32", 1},
                             {"float2ull_@", "cvt.@i.u64.f32", 1},
                             {"int2float_@", "cvt.@.f32.s32", 1},
                             {"uint2float_@", "cvt.@.f32.u32", 1},
                             {"ll2float_@", "cvt.@.f32.s64", 1},
                             {"ull2float_@", "cvt.@.f32.u64", 1},
                             {"ll2double_@", "cvt.@.f64.s64", 1},
                             {"ull2double_@", "cvt.@.f64.u64", 1},
                             {"int2double_@", "cvt.@.f64.s32", 1},
                             {"uint2double_@", "cvt.@.f64.u32", 1},
                             {"float2half_rn", "cvt.rn.f16.f32", 1},
                             {"half2float", "cvt.f32.f16", 1},
                             {"abs", "abs.s32", 1},
                             {"llabs", "abs.s64", 1},
                             {"min", "min.s32", 2},
                             {"max", "max.s32", 2},
                             {"umin", "min.u32", 2},
                             {"umax", "max.u32", 2},
                             {"llmin", "min.s64", 2},
                             {"llmax", "max.s64", 2},
                             {"ullmin", "min.u64", 2},
                             {"ullmax", "max.u64", 2},
                             {"mulhi", "mul.hi.s32", 2},
                             {"umulhi", "mul.hi.u32", 2},
                             {"mul64hi", "mul.hi.s64", 2},
                             {"umul64hi", "mul.hi.u64", 2},
                             {"mul24", "mul24.lo.s32", 2},
                             {"umul24", "mul24.lo.u32", 2},
                             {"sad", "sad.s32", 3},
                             {"usad", "sad.u32", 3},
                             {"popc", "popc.b32", 1},
                             {"popcll", "popc.b64", 1},
                             {"clz", "clz.b32", 1},
                             {"clzll", "clz.b64", 1},
                             {"brev", "brev.b32", 1},
                             {"brevll", "brev.b64", 1},
                             {"fabsf", "abs.f32", 1},
                             {"fabs", "abs.f64", 1},
                             {"fminf", "min.f32", 2},
                             {"fmaxf", "max.f32", 2},
                             {"fmin", "min.f64", 2},
                             {"fmax", "max.f64", 2},
                             {"fmaf", "fma.rn.f32", 3},
                             {"fma", "fma.rn.f64", 3},
                             {"floorf", "cvt.rmi.f32.f32", 1},
                             {"floor", "cvt.rmi.f64.f64", 1},
                             {"ceilf", "cvt.rpi.f32.f32", 1},
                             {"ceil", "cvt.rpi.f64.f64", 1},
                             {"truncf", "cvt.rzi.f32.f32", 1},
                             {"trunc", "cvt.rzi.f64.f64", 1},
                             {"rintf", "cvt.rni.f32.f32", 1},
                             {"rint", "cvt.rni.f64.f64", 1},
                             {"nearbyintf", "cvt.rni.f32.f32", 1},
                             {"nearbyint", "cvt.rni.f64.f64", 1},
                             {"llrintf", "cvt.rni.s64.f32", 1},
                             {"llrint", "cvt.rni.s64.f64", 1},
                             {"saturatef", "cvt.sat.f32.f32", 1},
                             {"sqrtf", "sqrt.rn.f32", 1},
                             {"sqrt", "sqrt.rn.f64", 1},
                             {"rsqrtf", "rsqrt.approx.f32", 1},
                             {"frsqrt_rn", "rsqrt.approx.f32", 1},
                             {"rsqrt", "rsqrt.approx.f64", 1},
                             {"rcp64h", "rcp.approx.ftz.f64", 1},
                             {"fast_sinf", "sin.approx.f32", 1},
                             {"fast_cosf", "cos.approx.f32", 1},
                             {"fast_log2f", "lg2.approx.f32", 1},
                             {"fast_exp2f", "ex2.approx.f32", 1},
                             {"fast_fdividef", "div.approx.f32", 2},
                             {"fast_tanhf", "tanh.approx.f32", 1}};

// One lane of a C++ function: sources in order, results (one, or a pair) in order.
template <class T> T canonical(T x) { return x; }
float canonical(float x) { return x != x ? sem::bits_as<float>(0x7fffffffu) : x; }

template <class T> constexpr u8 bits_of = sizeof(T) * 8;
template <class R> struct Results {
  static constexpr u8 count = 1;
  static constexpr std::array<u8, 2> bits{bits_of<R>, 0};
  static constexpr std::array<bool, 2> is_signed{std::is_signed_v<R> && std::is_integral_v<R>, false};
  static void store(const KernelArguments& a, u32 i, R value) {
    static_cast<R*>(a.destination[0])[i] = canonical(value);
  }
};
template <class A, class B> struct Results<std::pair<A, B>> {
  static constexpr u8 count = 2;
  static constexpr std::array<u8, 2> bits{bits_of<A>, bits_of<B>};
  static constexpr std::array<bool, 2> is_signed{std::is_same_v<A, i32>, std::is_same_v<B, i32>};
  static void store(const KernelArguments& a, u32 i, std::pair<A, B> value) {
    static_cast<A*>(a.destination[0])[i] = canonical(value.first);
    static_cast<B*>(a.destination[1])[i] = canonical(value.second);
  }
};
template <class F, class R, class... A> Kernel lane_loop(R (F::*)(A...) const) {
  KernelFunction run = [](const KernelArguments& a) {
    auto lanes = [&]<std::size_t... I>(std::index_sequence<I...>) {
      for (u32 i = 0; i < a.lanes; ++i)
        Results<R>::store(a, i, F{}(static_cast<const A*>(a.source[I])[i]...));
    };
    lanes(std::index_sequence_for<A...>{});
  };
  return {run,
          nullptr,
          Results<R>::count,
          sizeof...(A),
          Results<R>::bits,
          Results<R>::is_signed,
          {bits_of<A>...}};
}

using Table = std::unordered_map<std::string, MathFunction>;
struct Definitions {
  Table& table;
  template <class F> void define(std::string_view name, F f) {
    static_cast<void>(f); // captures nothing: its type is all
    table.emplace(name, MathFunction{lane_loop<F>(&F::operator())});
  }
  // f32 and f64 at once: "sin" also defines "sinf". f is generic, or takes and returns double.
  template <class F> void both(const std::string& name, F) {
    define(name, [](double x) -> double { return F{}(x); });
    define(name + "f", [](float x) -> float { return static_cast<float>(F{}(x)); });
  }
  template <class F> void both2(const std::string& name, F) {
    define(name, [](double x, double y) -> double { return F{}(x, y); });
    define(name + "f", [](float x, float y) -> float { return static_cast<float>(F{}(x, y)); });
  }
  // The last results are written through pointer parameters.
  void stores(const std::string& name, u8 count) {
    MathFunction& f = table.at(name);
    f.stores = count;
    for (u32 i = 0; i < count; ++i)
      f.store_bytes[i] = f.kernel.destination_bits[f.kernel.destinations - count + i] / 8;
  }
};

void define_exponentials(Definitions t) {
  t.both("exp", [](auto x) { return std::exp(x); });
  t.both("exp2", [](auto x) { return std::exp2(x); });
  t.both("exp10", [](auto x) { return ::exp10(static_cast<double>(x)); });
  t.both("expm1", [](auto x) { return std::expm1(x); });
  t.both("log", [](auto x) { return std::log(x); });
  t.both("log2", [](auto x) { return std::log2(x); });
  t.both("log10", [](auto x) { return std::log10(x); });
  t.both("log1p", [](auto x) { return std::log1p(x); });
  t.both("logb", [](auto x) { return std::logb(x); });
  t.both2("pow", [](auto x, auto y) { return std::pow(x, y); });
  t.define("powi", [](double x, i32 n) -> double { return std::pow(x, static_cast<double>(n)); });
  t.define("powif",
           [](float x, i32 n) -> float { return static_cast<float>(std::pow(static_cast<double>(x), n)); });
  t.both("cbrt", [](auto x) { return std::cbrt(x); });
  t.both("rcbrt", [](auto x) { return 1.0 / std::cbrt(static_cast<double>(x)); });
  t.define("fast_expf", [](float x) -> float { return std::exp(x); });
  t.define("fast_exp10f",
           [](float x) -> float { return static_cast<float>(::exp10(static_cast<double>(x))); });
  t.define("fast_logf", [](float x) -> float { return std::log(x); });
  t.define("fast_log10f", [](float x) -> float { return std::log10(x); });
  t.define("fast_powf", [](float x, float y) -> float { return std::exp2(y * std::log2(x)); });
}

void define_trigonometry(Definitions t) {
  t.both("sin", [](auto x) { return std::sin(x); });
  t.both("cos", [](auto x) { return std::cos(x); });
  t.both("tan", [](auto x) { return std::tan(x); });
  t.both("asin", [](auto x) { return std::asin(x); });
  t.both("acos", [](auto x) { return std::acos(x); });
  t.both("atan", [](auto x) { return std::atan(x); });
  t.both("sinh", [](auto x) { return std::sinh(x); });
  t.both("cosh", [](auto x) { return std::cosh(x); });
  t.both("tanh", [](auto x) { return std::tanh(x); });
  t.both("asinh", [](auto x) { return std::asinh(x); });
  t.both("acosh", [](auto x) { return std::acosh(x); });
  t.both("atanh", [](auto x) { return std::atanh(x); });
  t.both("sinpi", [](auto x) { return sem::sinpi(static_cast<double>(x)); });
  t.both("cospi", [](auto x) { return sem::cospi(static_cast<double>(x)); });
  t.both2("atan2", [](auto x, auto y) { return std::atan2(x, y); });
  t.define("fast_tanf", [](float x) -> float { return std::tan(x); });
  t.define("sincosf", [](float x) { return std::pair(std::sin(x), std::cos(x)); });
  t.define("fast_sincosf", [](float x) { return std::pair(std::sin(x), std::cos(x)); });
  t.define("sincos", [](double x) { return std::pair(std::sin(x), std::cos(x)); });
  t.define("sincospi", [](double x) { return std::pair(sem::sinpi(x), sem::cospi(x)); });
  t.define("sincospif", [](float x) {
    return std::pair(static_cast<float>(sem::sinpi(static_cast<double>(x))),
                     static_cast<float>(sem::cospi(static_cast<double>(x))));
  });
  for (const char* name : {"sincosf", "fast_sincosf", "sincos", "sincospi", "sincospif"}) t.stores(name, 2);
}

void define_special(Definitions t) {
  t.both("erf", [](auto x) { return std::erf(x); });
  t.both("erfc", [](auto x) { return std::erfc(x); });
  t.both("erfinv", [](auto x) { return sem::erfinv(static_cast<double>(x)); });
  t.both("erfcinv", [](auto x) { return sem::erfcinv(static_cast<double>(x)); });
  t.both("erfcx", [](auto x) { return sem::erfcx(static_cast<double>(x)); });
  t.both("normcdf", [](auto x) { return sem::normcdf(static_cast<double>(x)); });
  t.both("normcdfinv", [](auto x) { return sem::normcdfinv(static_cast<double>(x)); });
  t.both("tgamma", [](auto x) { return std::tgamma(x); });
  t.both("lgamma", [](auto x) {
    int sign = 0;
    return ::lgamma_r(static_cast<double>(x), &sign); // lgamma() writes a global
  });
  t.both("j0", [](auto x) { return ::j0(static_cast<double>(x)); });
  t.both("j1", [](auto x) { return ::j1(static_cast<double>(x)); });
  t.both("y0", [](auto x) { return ::y0(static_cast<double>(x)); });
  t.both("y1", [](auto x) { return ::y1(static_cast<double>(x)); });
  t.define("jn", [](i32 n, double x) -> double { return n < 0 ? NAN : ::jn(n, x); });
  t.define("jnf", [](i32 n, float x) -> float {
    return n < 0 ? NAN : static_cast<float>(::jn(n, static_cast<double>(x)));
  });
  t.define("yn", [](i32 n, double x) -> double { return n < 0 ? NAN : ::yn(n, x); });
  t.define("ynf", [](i32 n, float x) -> float {
    return n < 0 ? NAN : static_cast<float>(::yn(n, static_cast<double>(x)));
  });
  t.both("cyl_bessel_i0", [](auto x) { return sem::bessel_i(0, static_cast<double>(x)); });
  t.both("cyl_bessel_i1", [](auto x) { return sem::bessel_i(1, static_cast<double>(x)); });
}

void define_norms(Definitions t) {
  t.both2("hypot", [](auto x, auto y) { return std::hypot(x, y); });
  t.both2("rhypot",
          [](auto x, auto y) { return 1.0 / std::hypot(static_cast<double>(x), static_cast<double>(y)); });
  t.define("norm3d", [](double a, double b, double c) -> double { return sem::norm3(a, b, c); });
  t.define("norm3df",
           [](float a, float b, float c) -> float { return static_cast<float>(sem::norm3(a, b, c)); });
  t.define("rnorm3d", [](double a, double b, double c) -> double { return 1.0 / sem::norm3(a, b, c); });
  t.define("rnorm3df",
           [](float a, float b, float c) -> float { return static_cast<float>(1.0 / sem::norm3(a, b, c)); });
  t.define("norm4d", [](double a, double b, double c, double d) -> double { return sem::norm4(a, b, c, d); });
  t.define("norm4df", [](float a, float b, float c, float d) -> float {
    return static_cast<float>(sem::norm4(a, b, c, d));
  });
  t.define("rnorm4d",
           [](double a, double b, double c, double d) -> double { return 1.0 / sem::norm4(a, b, c, d); });
  t.define("rnorm4df", [](float a, float b, float c, float d) -> float {
    return static_cast<float>(1.0 / sem::norm4(a, b, c, d));
  });
}

void define_parts(Definitions t) { // remainders, exponents, rounding, neighbours
  t.both2("fmod", [](auto x, auto y) { return std::fmod(x, y); });
  t.both2("remainder", [](auto x, auto y) { return std::remainder(x, y); });
  t.both2("fdim", [](auto x, auto y) { return std::fdim(x, y); });
  t.both2("copysign", [](auto x, auto y) { return std::copysign(x, y); });
  t.both2("nextafter", [](auto x, auto y) { return std::nextafter(x, y); });
  t.both("round", [](auto x) { return std::round(x); });
  t.define("llround", [](double x) -> i64 { return sem::round_to_i64(x); });
  t.define("llroundf", [](float x) -> i64 { return sem::round_to_i64(static_cast<double>(x)); });
  t.define("ilogb", [](double x) -> i32 { return std::ilogb(x); });
  t.define("ilogbf", [](float x) -> i32 { return std::ilogb(x); });
  for (const char* name : {"ldexp", "scalbn"}) {
    t.define(name, [](double x, i32 n) -> double { return std::ldexp(x, n); });
    t.define(std::string(name) + "f", [](float x, i32 n) -> float { return std::ldexp(x, n); });
  }
  t.define("frexp", [](double x) {
    int exponent = 0;
    double fraction = std::frexp(x, &exponent);
    return std::pair(fraction, i32{std::isfinite(x) ? exponent : 0});
  });
  t.define("frexpf", [](float x) {
    int exponent = 0;
    float fraction = std::frexp(x, &exponent);
    return std::pair(fraction, i32{std::isfinite(x) ? exponent : 0});
  });
  t.define("modf", [](double x) {
    double whole = 0;
    double fraction = std::modf(x, &whole);
    return std::pair(fraction, whole);
  });
  t.define("modff", [](float x) {
    float whole = 0;
    float fraction = std::modf(x, &whole);
    return std::pair(fraction, whole);
  });
  t.define("remquo", [](double x, double y) {
    int quotient = 0;
    double rest = std::remquo(x, y, &quotient);
    return std::pair(rest, i32{quotient});
  });
  t.define("remquof", [](float x, float y) {
    int quotient = 0;
    float rest = std::remquo(x, y, &quotient);
    return std::pair(rest, i32{quotient});
  });
  for (const char* name : {"frexp", "frexpf", "modf", "modff", "remquo", "remquof"}) t.stores(name, 1);
}

void define_bits(Definitions t) {
  for (const char* name : {"float_as_int", "float_as_uint", "int_as_float", "uint_as_float"})
    t.define(name, [](u32 x) -> u32 { return x; });
  for (const char* name : {"double_as_longlong", "longlong_as_double"})
    t.define(name, [](u64 x) -> u64 { return x; });
  t.define("double2hiint", [](u64 x) -> i32 { return static_cast<i32>(x >> 32); });
  t.define("double2loint", [](u64 x) -> i32 { return static_cast<i32>(x); });
  t.define("hiloint2double", [](u32 high, u32 low) -> u64 { return u64{high} << 32 | low; });
  t.define("nan", [](u64) -> u64 { return 0x7ff8000000000000ull; }); // the tag string is not read
  t.define("nanf", [](u64) -> u32 { return 0x7fffffffu; });
  t.define("isnand", [](double x) -> i32 { return std::isnan(x); });
  t.define("isnanf", [](float x) -> i32 { return std::isnan(x); });
  t.define("isinfd", [](double x) -> i32 { return std::isinf(x); });
  t.define("isinff", [](float x) -> i32 { return std::isinf(x); });
  t.define("isfinited", [](double x) -> i32 { return std::isfinite(x); });
  t.define("finitef", [](float x) -> i32 { return std::isfinite(x); });
  t.define("signbitd", [](double x) -> i32 { return std::signbit(x); });
  t.define("signbitf", [](float x) -> i32 { return std::signbit(x); });
  t.define("ffs", [](i32 x) -> i32 { return __builtin_ffs(x); });
  t.define("ffsll", [](i64 x) -> i32 { return __builtin_ffsll(x); });
  t.define("byte_perm", [](u32 x, u32 y, u32 s) -> u32 {
    return sem::Prmt<sem::PrmtMode::index>::apply(x, y, s & 0x7777);
  });
  t.define("hadd", [](i32 x, i32 y) -> i32 { return static_cast<i32>((i64{x} + y) >> 1); });
  t.define("rhadd", [](i32 x, i32 y) -> i32 { return static_cast<i32>((i64{x} + y + 1) >> 1); });
  t.define("uhadd", [](u32 x, u32 y) -> u32 { return static_cast<u32>((u64{x} + y) >> 1); });
  t.define("urhadd", [](u32 x, u32 y) -> u32 { return static_cast<u32>((u64{x} + y + 1) >> 1); });
}

std::string replace_mark(std::string_view pattern, std::string_view mode) {
  std::string text(pattern);
  if (std::size_t at = text.find('@'); at != std::string::npos) text.replace(at, 1, mode);
  return text;
}
void define_alias(Table& table, const Alias& alias, std::string_view name_mode, std::string_view form_mode) {
  auto form = ir::parse_form(replace_mark(alias.form, form_mode));
  if (!form) return;
  if (std::optional<Kernel> kernel = find_kernel(*form, 1, alias.sources))
    table.emplace(replace_mark(alias.name, name_mode), MathFunction{*kernel});
}

Table make_table() {
  Table table;
  Definitions definitions{table};
  define_exponentials(definitions);
  define_trigonometry(definitions);
  define_special(definitions);
  define_norms(definitions);
  define_parts(definitions);
  define_bits(definitions);
  constexpr std::pair<std::string_view, std::string_view> modes[] = {
      {"rn", "rn"}, {"rz", "rz"}, {"ru", "rp"}, {"rd", "rm"}};
  for (const Alias& alias : aliases)
    for (auto [name_mode, form_mode] : modes) define_alias(table, alias, name_mode, form_mode);
  return table;
}

} // namespace

std::optional<MathFunction> find_math_function(std::string_view name) {
  static const Table table = make_table();
  if (!name.starts_with("__nv_")) return std::nullopt;
  auto found = table.find(std::string(name.substr(5)));
  if (found == table.end()) return std::nullopt;
  return found->second;
}

} // namespace warplens::sim
