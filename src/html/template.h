// The page without its data, as `web/` built it: embedded at build time (room.cmake).
#pragma once
#include <string_view>

namespace warplens::html {

// Before the title, between it and the data, after the data.
struct Template {
  std::string_view head, middle, tail;
};
Template page_template();

} // namespace warplens::html
