// Device library functions: aliases of instructions, accuracy of what the C library lacks, results through
// pointers.
#include "sim/kernels_testing.h"
#include <cmath>

namespace warplens::sim::testing {
namespace {

double call(std::string_view name, std::vector<double> arguments) {
  std::optional<MathFunction> function = find_math_function(name);
  if (!function) {
    ADD_FAILURE() << name;
    return NAN;
  }
  std::vector<Values> sources;
  for (std::size_t s = 0; s < arguments.size(); ++s)
    sources.push_back(
        {function->kernel.source_bits[s] == 32 ? f(static_cast<float>(arguments[s])) : d(arguments[s])});
  u64 bits = run(function->kernel, sources)[0][0];
  return function->kernel.destination_bits[0] == 32
             ? static_cast<double>(std::bit_cast<float>(static_cast<u32>(bits)))
             : std::bit_cast<double>(bits);
}

TEST(MathFunctions, TheLibraryIsComplete) {
  // The stems that exist for double and, with an 'f', for float.
  for (const char* stem :
       {"acos",      "acosh",         "asin",          "asinh",     "atan",    "atan2",
        "atanh",     "cbrt",          "ceil",          "copysign",  "cos",     "cosh",
        "cospi",     "cyl_bessel_i0", "cyl_bessel_i1", "erf",       "erfc",    "erfcinv",
        "erfcx",     "erfinv",        "exp",           "exp10",     "exp2",    "expm1",
        "fabs",      "fdim",          "floor",         "fma",       "fmax",    "fmin",
        "fmod",      "frexp",         "hypot",         "ilogb",     "j0",      "j1",
        "jn",        "ldexp",         "lgamma",        "llrint",    "llround", "log",
        "log10",     "log1p",         "log2",          "logb",      "modf",    "nan",
        "nearbyint", "nextafter",     "norm3d",        "norm4d",    "normcdf", "normcdfinv",
        "pow",       "powi",          "rcbrt",         "remainder", "remquo",  "rhypot",
        "rint",      "rnorm3d",       "rnorm4d",       "round",     "rsqrt",   "scalbn",
        "sin",       "sincos",        "sincospi",      "sinh",      "sinpi",   "sqrt",
        "tan",       "tanh",          "tgamma",        "trunc",     "y0",      "y1",
        "yn"}) {
    EXPECT_TRUE(find_math_function(std::string("__nv_") + stem)) << stem;
    EXPECT_TRUE(find_math_function(std::string("__nv_") + stem + "f")) << stem << "f";
  }
  for (const char* name : {"abs",
                           "brev",
                           "brevll",
                           "byte_perm",
                           "clz",
                           "clzll",
                           "double2hiint",
                           "double2loint",
                           "double_as_longlong",
                           "fast_cosf",
                           "fast_exp10f",
                           "fast_expf",
                           "fast_fdividef",
                           "fast_log10f",
                           "fast_log2f",
                           "fast_logf",
                           "fast_powf",
                           "fast_sincosf",
                           "fast_sinf",
                           "fast_tanf",
                           "ffs",
                           "ffsll",
                           "finitef",
                           "float2half_rn",
                           "float_as_int",
                           "float_as_uint",
                           "frsqrt_rn",
                           "hadd",
                           "half2float",
                           "hiloint2double",
                           "int2double_rn",
                           "int_as_float",
                           "isfinited",
                           "isinfd",
                           "isinff",
                           "isnand",
                           "isnanf",
                           "llabs",
                           "llmax",
                           "llmin",
                           "longlong_as_double",
                           "max",
                           "min",
                           "mul24",
                           "mul64hi",
                           "mulhi",
                           "popc",
                           "popcll",
                           "rcp64h",
                           "rhadd",
                           "sad",
                           "saturatef",
                           "signbitd",
                           "signbitf",
                           "uhadd",
                           "uint2double_rn",
                           "uint_as_float",
                           "ullmax",
                           "ullmin",
                           "umax",
                           "umin",
                           "umul24",
                           "umul64hi",
                           "umulhi",
                           "urhadd",
                           "usad"})
    EXPECT_TRUE(find_math_function(std::string("__nv_") + name)) << name;
  for (const char* stem :
       {"dadd",       "ddiv",      "dmul",      "double2float", "double2int", "double2ll",  "double2uint",
        "double2ull", "drcp",      "dsqrt",     "fadd",         "fdiv",       "float2int",  "float2ll",
        "float2uint", "float2ull", "fma",       "fmaf",         "fmul",       "frcp",       "fsqrt",
        "fsub",       "int2float", "ll2double", "ll2float",     "uint2float", "ull2double", "ull2float"})
    for (const char* mode : {"_rn", "_rz", "_ru", "_rd"})
      EXPECT_TRUE(find_math_function(std::string("__nv_") + stem + mode)) << stem << mode;
  EXPECT_FALSE(find_math_function("__nv_unheard_of"));
  EXPECT_FALSE(find_math_function("sinf"));
}

TEST(MathFunctions, Values) {
  EXPECT_EQ(call("__nv_fadd_ru", {1, 0x1p-40}), 1 + 0x1p-23);
  EXPECT_EQ(call("__nv_fadd_rd", {1, -0x1p-40}), 1 - 0x1p-24);
  EXPECT_NEAR(call("__nv_sinf", {1}), std::sin(1.0), 1e-7);
  EXPECT_EQ(call("__nv_sinpi", {1}), 0);
  EXPECT_EQ(call("__nv_cospi", {0.5}), 0);
  EXPECT_EQ(call("__nv_sinpi", {0.5}), 1);
  EXPECT_EQ(call("__nv_cospi", {3}), -1);
  EXPECT_NEAR(call("__nv_erfcx", {30}), 0.018795888861416751, 1e-16);
  EXPECT_NEAR(call("__nv_normcdf", {1.96}), 0.97500210485177952, 1e-15);
  EXPECT_NEAR(call("__nv_cyl_bessel_i0", {2}), 2.2795853023360673, 1e-14);
  EXPECT_NEAR(call("__nv_cyl_bessel_i1", {-2}), -1.5906368546373291, 1e-14);
  EXPECT_NEAR(call("__nv_rnorm3df", {1, 2, 2}), 1.0 / 3, 1e-7);
}

TEST(MathFunctions, InverseErrorFunctionsInvert) {
  for (double y : {-0.999999, -0.7, -0.3, -1e-12, 1e-300, 1e-3, 0.1, 0.4999, 0.5, 0.75, 0.99, 0.9999999})
    EXPECT_NEAR(std::erf(call("__nv_erfinv", {y})), y, std::fabs(y) * 4e-16) << y;
  for (double y : {1e-300, 1e-100, 1e-10, 0.01, 0.5, 1.0, 1.5, 1.99})
    EXPECT_NEAR(std::erfc(call("__nv_erfcinv", {y})), y, y * 1e-12)
        << y; // erfc amplifies x's last bit by 2x²
  EXPECT_TRUE(std::isinf(call("__nv_erfinv", {1})));
  EXPECT_TRUE(std::isnan(call("__nv_erfinv", {2})));
}

TEST(MathFunctions, ResultsThroughPointersComeLast) {
  MathFunction sincos = *find_math_function("__nv_sincosf");
  EXPECT_EQ(sincos.stores, 2);
  EXPECT_EQ(sincos.store_bytes[1], 4);
  MathFunction frexp = *find_math_function("__nv_frexp");
  EXPECT_EQ(frexp.stores, 1);
  EXPECT_EQ(frexp.store_bytes[0], 4);
  std::vector<Values> parts = run(frexp.kernel, {{d(12.0)}});
  EXPECT_EQ(parts[0][0], d(0.75));
  EXPECT_EQ(parts[1][0], 4u);
  EXPECT_EQ(run(find_math_function("__nv_modf")->kernel, {{d(-2.5)}})[1][0], d(-2.0));
}

} // namespace
} // namespace warplens::sim::testing
