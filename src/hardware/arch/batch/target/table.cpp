// One target's kernels.
#include "arch/batch/target/lanes.h"

namespace warplens::arch::WARPLENS_TARGET_NAMESPACE {

const Kernels kernels{count_local, put_blocks,     count_blocks,           put_words,
                      count_words, count_distinct, count_passes_of_groups, count_stages_of_warp};

} // namespace warplens::arch::WARPLENS_TARGET_NAMESPACE
