// Which edits warplens-edits makes, and which it does not: the marks in data/*.cu say it (data/rows.cu explains them). Each file
// is asked about once. No CUDA toolkit takes part, whether there is one or not.
#include "fix/asked.h"
#include "fix/edits.h"
#include "os/captured.h"
#include "os/file.h"
#include "os/temp_dir.h"
#include "toolchain/arguments.h"
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

namespace warplens::fix {
namespace {

using Kind = findings::Remedy::Kind;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string program = WARPLENS_BINARY_DIR "/lib/warplens-edits";

struct Mark {
  Wish wish;
  std::string not_because; // empty: the edit is made
};

// "//: rows t 8 NOT some words": the number is of bytes.
std::vector<Mark> marks_in(const std::string& text) {
  std::vector<Mark> out;
  std::istringstream lines(text);
  std::string line;
  for (u32 number = 1; std::getline(lines, line); ++number) {
    const std::size_t at = line.find("//: ");
    if (at == line.npos) continue;
    std::string mark = line.substr(at + 4);
    Mark& out_mark = out.emplace_back();
    if (const std::size_t no = mark.find(" NOT "); no != mark.npos) {
      out_mark.not_because = mark.substr(no + 5);
      mark.erase(no);
    }
    std::istringstream words(mark);
    std::string kind;
    u32 bytes = 0;
    words >> kind >> out_mark.wish.array >> bytes;
    out_mark.wish.line = number;
    out_mark.wish.remedy = kind == "rows" ? findings::Remedy{Kind::longer_rows, bytes == 0 ? 4 : bytes, 128}
                           : kind == "align" ? findings::Remedy{Kind::aligned, 8, 0}
                                             : findings::Remedy{Kind::restricted, 0, 0};
  }
  return out;
}

Answered ask(const std::string& file, const std::string& text, const std::vector<Wish>& wishes,
             const std::vector<std::string>& options = {}) {
  const auto passes = toolchain::clang_passes(90, WARPLENS_SOURCE_DIR "/cuda", options, file);
  const auto folder = os::TempDir::create();
  if (!passes || !folder) return {"no question"};
  const std::string question = folder->path() + "/asked", answer = folder->path() + "/answered";
  std::ofstream(question) << json(Asked{*passes, file, text, wishes});
  const auto end = os::run_captured({program, question, answer});
  if (!end || end->exit_code != 0)
    return {"warplens-edits fails: " + (end ? end->output : "it cannot be started")};
  return read_answered(os::read_file(answer).value_or("")).value_or(Answered{"no answer"});
}

class SourceEdits : public testing::Test {
protected:
  void SetUp() override {
    if (!std::filesystem::exists(program)) GTEST_SKIP() << "warplens-edits was not built";
  }

  // The text after all edits that were made.
  std::string holds(const std::string& name) {
    const std::string file = WARPLENS_TEST_DATA "/" + name, text = os::read_file(file).value_or("");
    const std::vector<Mark> marks = marks_in(text);
    std::vector<Wish> wishes;
    for (const Mark& mark : marks) wishes.push_back(mark.wish);
    const Answered answered = ask(file, text, wishes);
    EXPECT_THAT(answered.problem, IsEmpty());
    EXPECT_EQ(answered.made.size(), marks.size());
    std::vector<findings::Edit> all;
    for (std::size_t i = 0; i < std::min(marks.size(), answered.made.size()); ++i) {
      const Made& made = answered.made[i];
      const std::string place = name + ":" + std::to_string(marks[i].wish.line);
      if (marks[i].not_because.empty()) {
        EXPECT_FALSE(made.edits.empty()) << place << ": " << made.why << " at line " << made.line;
      } else {
        EXPECT_THAT(made.edits, IsEmpty()) << place;
        EXPECT_THAT(made.why, HasSubstr(marks[i].not_because)) << place;
      }
      all.insert(all.end(), made.edits.begin(), made.edits.end());
    }
    return applied(text, all).value_or("cannot be applied");
  }
};

TEST_F(SourceEdits, MakeRowsLongerWhereOnlyElementsAreUsed) {
  const std::string after = holds("rows.cu");
  EXPECT_THAT(after, HasSubstr("__shared__ float t[n32][n32 + 1];"));
  EXPECT_THAT(after, HasSubstr("__shared__ float t[ROWS][ROWS + 1];"));
  EXPECT_THAT(after, HasSubstr("__shared__ T t[n][n + 1];"));
  EXPECT_THAT(after, HasSubstr("__shared__ half t[32][64 + 2];"));
  EXPECT_THAT(after, HasSubstr("__shared__ float t[32][(SHIFTED) + 1];"));
  EXPECT_THAT(after, HasSubstr("__shared__ float t[32][(n32 > 4 ? 32 : 64) + 1];"));
}

TEST_F(SourceEdits, AlignStructuresThatNothingElseDependsOn) {
  const std::string after = holds("structures.cu");
  EXPECT_THAT(after, HasSubstr("struct __align__(8) Plain {"));
  EXPECT_THAT(after, HasSubstr("typedef struct __align__(8) { int a, b; } Alias;"));
  EXPECT_THAT(after, HasSubstr("static __device__ __align__(8) float numbers"));
}

TEST_F(SourceEdits, RestrictPointersToMemoryThatNothingElseLeadsTo) {
  const std::string after = holds("pointers.cu");
  EXPECT_THAT(after, HasSubstr("plain(const float* __restrict__ a, float* b"));
  EXPECT_THAT(after, HasSubstr("points(const Point * __restrict__ a, float *b"));
}

const std::string tile = R"(__global__ void k(const float* in, float* out) {
  __shared__ float t[SIDE][32];
  t[threadIdx.y][threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = t[threadIdx.x][threadIdx.y];
}
)";
const Wish wish{{Kind::longer_rows, 4, 128}, "t", 4, 3};

TEST_F(SourceEdits, NeedASourceThatClangParses) {
  const std::string file = std::filesystem::temp_directory_path() / "one.cu";
  EXPECT_THAT(ask(file, tile, {wish}).problem, HasSubstr("one.cu:2: use of undeclared identifier 'SIDE'"));
  const Answered defined = ask(file, tile, {wish}, {"-DSIDE=32"});
  ASSERT_EQ(defined.made.size(), 1u) << defined.problem;
  EXPECT_EQ(defined.made[0].edits.size(), 1u) << defined.made[0].why;
  EXPECT_THAT(ask(file, "#include \"nowhere.h\"\n" + tile, {wish}).problem, HasSubstr("file not found"));
}

TEST_F(SourceEdits, TakeNoBoundFromThreadsThatAssemblyMayHaveEnded) {
  const std::string leaving = R"(__device__ void leave() { if (threadIdx.x >= 32) asm volatile("exit;"); }
__global__ void k(const float* in, float* out) {
  __shared__ float t[32][32];
  t[0][threadIdx.x] = in[threadIdx.x];
  leave();
  out[threadIdx.x] = t[threadIdx.x][1];
}
int main(int count, char**) { k<<<1, count>>>(nullptr, nullptr); }
)";
  const std::string file = std::filesystem::temp_directory_path() / "one.cu";
  const Answered answered = ask(file, leaving, {Wish{{Kind::longer_rows, 4, 128}, "t", 6, 22}});
  ASSERT_EQ(answered.made.size(), 1u) << answered.problem;
  EXPECT_TRUE(answered.made[0].edits.empty());
  EXPECT_THAT(answered.made[0].why, HasSubstr("nothing shows that this index"));
}

TEST_F(SourceEdits, KeepTheirPlacesWhateverTheSourceLooksLike) {
  const std::string file = std::filesystem::temp_directory_path() / "one.cu";
  std::string crlf = tile;
  for (std::size_t at = 0; (at = crlf.find('\n', at)) != crlf.npos; at += 2) crlf.replace(at, 1, "\r\n");
  const Answered ends = ask(file, crlf, {wish}, {"-DSIDE=32"});
  ASSERT_EQ(ends.made.size(), 1u) << ends.problem;
  EXPECT_THAT(applied(crlf, ends.made[0].edits).value_or(""), HasSubstr("[SIDE][32 + 1];\r\n"));
  const Answered moved = ask(file, "#line 7 \"other.cu\"\n" + tile, {wish}, {"-DSIDE=32"});
  ASSERT_EQ(moved.made.size(), 1u) << moved.problem;
  EXPECT_THAT(moved.made[0].why, HasSubstr("#line"));
}

} // namespace
} // namespace warplens::fix
