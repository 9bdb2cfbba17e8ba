// The words of the progress line, for each thing that a program may be doing, and on narrow terminals.
#include "driver/program/progress.h"
#include <gtest/gtest.h>

namespace warplens::driver {
namespace {

using namespace std::chrono_literals;

TEST(ProgressText, SaysWhatTheProgramDoes) {
  measure::Ledger ledger;
  EXPECT_EQ(
      progress_text(ledger, 34s, 120, true),
      "warplens: the program's own work, no launch yet, 34 s; Ctrl-C: report of what was counted so far");
  ledger.begun = 1, ledger.kernels = 1, ledger.launch = 0, ledger.total = 1000;
  ledger.kernel.set("void ns::stencil<float, (int)3>(float*, unsigned long)");
  EXPECT_EQ(progress_text(ledger, 35s, 120, true),
            "warplens: launch 0 stencil, 35 s; Ctrl-C: report of what was counted so far");
  ledger.done = 412;
  EXPECT_EQ(progress_text(ledger, 36s, 120, true),
            "warplens: launch 0 41% stencil, 36 s; Ctrl-C: report of what was counted so far");
  ledger.ended = 1;
  EXPECT_EQ(progress_text(ledger, 37s, 120, false), "warplens: the program's own work after 1 launch, 37 s");
  ledger.begun = ledger.ended = 1500, ledger.kernels = 3, ledger.computing = 1, ledger.launch = 1499;
  EXPECT_EQ(progress_text(ledger, 38s, 1000, false), "warplens: all 1500 launches are proved; computing "
                                                     "results of launch 1499 41% stencil, 38 s, 3 kernels");
  ledger.unproved = 1;
  EXPECT_EQ(progress_text(ledger, 39s, 1000, false),
            "warplens: computing results of launch 1499 41% stencil, 39 s, 3 kernels");
}

TEST(ProgressText, FitsTheTerminal) {
  measure::Ledger ledger;
  ledger.begun = 1, ledger.done = 412, ledger.total = 1000, ledger.launch = 123456;
  ledger.kernel.set(std::string(300, 'k'));
  for (u32 width = 40; width < 200; ++width) EXPECT_LT(progress_text(ledger, 34s, width, true).size(), width);
  EXPECT_NE(progress_text(ledger, 34s, 80, true).find("Ctrl-C: report"), std::string::npos);
}

} // namespace
} // namespace warplens::driver
