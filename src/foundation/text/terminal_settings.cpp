// See terminal_settings.h.
#include "text/terminal_settings.h"
#include "os/environment.h"
#include <charconv>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

namespace warplens::text {

bool colour_wanted(int descriptor, Colour choice) {
  if (choice != Colour::automatic) return choice == Colour::always;
  return isatty(descriptor) != 0 && *os::variable("NO_COLOR") == '\0';
}

bool unicode_wanted() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string_view locale = os::variable(name);
    if (!locale.empty()) return locale.find("UTF-8") != locale.npos || locale.find("utf8") != locale.npos;
  }
  return true;
}

u32 terminal_width(int descriptor) {
  constexpr u32 usual = 80, narrowest = 60, widest = 10000;
  std::string_view said = os::variable("COLUMNS");
  u32 columns = 0;
  auto [end, code] = std::from_chars(said.data(), said.data() + said.size(), columns);
  if (code == std::errc() && end == said.data() + said.size() && columns >= narrowest && columns <= widest)
    return columns;
  winsize size{};
  bool known = ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col >= narrowest;
  return known ? size.ws_col : usual;
}

} // namespace warplens::text
