// The pages without their data, as `web/` built them: embedded at build time (room.cmake).
#pragma once
#include <string_view>

namespace warplens::html {

// Before the title, between it and the data, after the data.
struct Template {
  std::string_view head, middle, tail;
};
Template report_template();
Template diff_template();
Template compare_template();

} // namespace warplens::html
