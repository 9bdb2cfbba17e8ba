// The kinds that checks report: each that the sources name is in the table, and what only begins like one is not.
#include "base/check_kinds.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <regex>
#include <set>

namespace warplens::diag {
namespace {

namespace fs = std::filesystem;

std::set<std::string> kinds_in_sources() {
  const std::regex named("\"((sync|memory|race)-[a-z-]+)\"");
  std::set<std::string> out;
  for (const char* folder : {"src/engine/sim", "src/cuda/runtime"})
    for (const fs::directory_entry& entry :
         fs::recursive_directory_iterator(fs::path(WARPLENS_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".cpp") continue;
      std::ifstream file(entry.path());
      const std::string text((std::istreambuf_iterator<char>(file)), {});
      for (std::sregex_iterator at(text.begin(), text.end(), named), end; at != end; ++at)
        out.insert((*at)[1]);
    }
  return out;
}

TEST(Check, EveryKindThatIsReportedIsKnown) {
  const std::set<std::string> kinds = kinds_in_sources();
  EXPECT_GE(kinds.size(), 13u);
  for (const std::string& kind : kinds) EXPECT_NE(check_of(kind), Check::none) << kind;
}

TEST(Check, NamesAreNotPrefixes) {
  EXPECT_EQ(check_of("race-shared"), Check::race);
  EXPECT_EQ(check_of("memory-leak"), Check::memory);
  for (const char* kind : {"", "race-", "sync-other", "memory-short", "kernel-out-of-bounds"})
    EXPECT_EQ(check_of(kind), Check::none) << kind;
}

} // namespace
} // namespace warplens::diag
