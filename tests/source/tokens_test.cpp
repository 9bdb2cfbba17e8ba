// C++ source as tokens, and what declarations call parameters, arrays and members.
#include "source/functions.h"
#include "source/structures.h"
#include "source/types.h"
#include <gtest/gtest.h>

namespace warplens::source {
namespace {

TEST(Tokens, KeepToTheLanguage) {
  const Tokens s(
      "a /* [ */ // [ \\\n still [\n\"[\\\"\" R\"x([)\")x\" '[' 1'000 0x1e+2 1e+2f b\n# define c [\n d");
  std::vector<std::string> words;
  for (const Token& t : s.all()) words.emplace_back(t.text);
  EXPECT_EQ(words, (std::vector<std::string>{"a", "\"[\\\"\"", "R\"x([)\")x\"", "'['", "1'000", "0x1e", "+",
                                             "2", "1e+2f", "b", "define", "c", "[", "d"}));
  EXPECT_TRUE(s.sound());
  EXPECT_EQ(s.at(10).directive, 1);
  EXPECT_EQ(s.at(13).directive, 0);
  EXPECT_FALSE(Tokens("f(]").sound());
  EXPECT_FALSE(Tokens("\"abc").sound());
  EXPECT_FALSE(Tokens("/* abc").sound());
}

TEST(Tokens, KeepCommentsAndNumberDirectives) {
  const Tokens s(
      "a; // one \\\n two\n#define B \\\n {\n#define C /* in it */ }\n\"// none\" R\"(/* none */)\" /*open");
  std::vector<std::string> words;
  for (const Comment& c : s.comments()) words.emplace_back(c.words);
  EXPECT_EQ(words, (std::vector<std::string>{" one \\\n two", " in it ", "open"}));
  EXPECT_EQ(s.column_of(s.comments()[0].begin), 4);
  std::vector<u32> directives;
  for (const Token& t : s.all()) directives.push_back(t.directive);
  EXPECT_EQ(directives, (std::vector<u32>{0, 0, 1, 1, 1, 2, 2, 2, 0, 0}));
}

TEST(Types, HaveTheSizesOfCuda) {
  for (auto [type, size] : std::vector<std::pair<std::string, u32>>{{"float", 4},
                                                                    {"unsigned char", 1},
                                                                    {"const unsigned long long int *", 8},
                                                                    {"short int", 2},
                                                                    {"unsigned", 4},
                                                                    {"long unsigned", 8},
                                                                    {"float3", 12},
                                                                    {"char4", 4},
                                                                    {"double2 const*", 16},
                                                                    {"cuComplex", 8},
                                                                    {"__half2", 4},
                                                                    {"long double", 0},
                                                                    {"float5", 0},
                                                                    {"bool2", 0},
                                                                    {"T", 0},
                                                                    {"", 0}})
    EXPECT_EQ(size_of(type), size) << type;
  EXPECT_EQ(alignment_of(size_of("float3")), 4);
  EXPECT_EQ(alignment_of(size_of("double4")), 16);
  EXPECT_EQ(alignment_of(0), 0);
  EXPECT_EQ(known_type("uchar3")->elements, 3);
  EXPECT_EQ(known_type("uchar")->elements, 0);
  EXPECT_EQ(type_name("const struct Body *__restrict__"), "Body");
  EXPECT_EQ(type_name("unsigned int"), "");
}

std::optional<Definition> definition(const std::string& text, const std::string& name) {
  return definition_of(Tokens(text), name, static_cast<u32>(text.size()));
}

TEST(Declarations, ParametersHaveTheNamesOfTheDefinition) {
  std::optional<Definition> found =
      definition("void k(const float* x);\n"
                 "__global__ void __launch_bounds__(256) k(const float* __restrict__ in, /* to */ "
                 "float *out, unsigned n = 3, int a[4]) {\n k2(in, out); }\n",
                 "k");
  ASSERT_TRUE(found);
  ASSERT_EQ(found->parameters.size(), 4u);
  EXPECT_EQ(found->parameters[0].name, "in");
  EXPECT_TRUE(found->parameters[0].pointer);
  EXPECT_EQ(found->parameters[1].name, "out");
  EXPECT_EQ(found->parameters[2].name, "n");
  EXPECT_FALSE(found->parameters[2].pointer);
  EXPECT_EQ(found->parameters[3].name, "a");
  EXPECT_TRUE(definition("void k() { }", "k")->parameters.empty());
  EXPECT_FALSE(definition("int y = k(a, b);", "k"));
  EXPECT_FALSE(definition("void k(int (*f)(int)) { }", "k"));
  EXPECT_FALSE(definition("void k(int", "k"));
  EXPECT_FALSE(definition("// void k(int a) { }", "k"));
  EXPECT_FALSE(definition("auto s = R\"(\nvoid k(int a) { }\n)\";", "k"));
  EXPECT_TRUE(definition("void k(void) { }", "k")->parameters.empty());
  EXPECT_EQ(definition("struct F { void operator()(int a) const { } };", "operator()")->parameters[0].name,
            "a");
  EXPECT_EQ(definition("void k(Map<int, Of<Of<int>>> m, float *p) { }", "k")->parameters[1].type, "float *");
  EXPECT_EQ(definition_of(Tokens("void k(int a) { }\nvoid k(int b) { }\n"), "k", 1)->parameters[0].name, "a");
}

TEST(Declarations, OnlyAThreadsOwnArraysAreListed) {
  std::optional<Definition> found =
      definition("__global__ void k(float* p) {\n"
                 "  __shared__ float tile[32];\n#pragma unroll\n  float counts[16] = {0};\n  int b, c[2];\n"
                 "  for (int i = 0; i < 4; ++i) { counts[i] = p[i]; p[i] += 1; }\n"
                 "  return p[0];\n}\n",
                 "k");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->arrays, (std::vector<std::string>{"counts", "c"}));
}

TEST(Declarations, MembersAreFoundByTheirOffsets) {
  std::string text =
      "struct Bodies { float *x, *y; int n; double* mass; };\nstruct Odd { Other o; float* p; };";
  const Tokens s(text);
  EXPECT_EQ(pointer_member(s, "Bodies", 0), "x");
  EXPECT_EQ(pointer_member(s, "const Bodies", 8), "y");
  EXPECT_EQ(pointer_member(s, "Bodies", 16), std::nullopt); // n is no pointer
  EXPECT_EQ(pointer_member(s, "Bodies", 24), "mass");
  EXPECT_EQ(pointer_member(s, "Odd", 8), std::nullopt);
  EXPECT_EQ(pointer_member(s, "Elsewhere", 0), std::nullopt);
  const Tokens more(
      "enum { n = 3 };\ntypedef struct { float3 at; unsigned char c; short a[n]; double *p; } Cell;\n"
      "template <class T> struct Pair { T *first, *second; };\nstruct Odd { static int s; float* p; };");
  EXPECT_EQ(pointer_member(more, "Cell", 24), "p");
  EXPECT_EQ(structure(more, "Cell")->bytes, 32);
  EXPECT_EQ(pointer_member(more, "Pair < float >", 8), "second");
  EXPECT_EQ(pointer_member(more, "Odd", 8), std::nullopt);
}

} // namespace
} // namespace warplens::source
