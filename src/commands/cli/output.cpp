#include "cli/output.h"
#include "base/diagnostic.h"
#include "os/output_file.h"
#include "os/pager.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace warplens::cli {
namespace {

int lost = 0; // errno of the first failure on standard output

} // namespace

void keep_standard_descriptors() {
  for (int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(number, F_GETFD) < 0 && errno == EBADF)
      if (open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
        return; // takes the lowest number
}

bool print(std::FILE* file, std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0) return true;
  if (errno == EPIPE) return true;
  if (file == stdout && lost == 0) lost = errno;
  return false;
}

driver::RunOutput streams() {
  std::signal(SIGPIPE, SIG_IGN);
  return {[](std::string_view text) { return print(stdout, text); },
          [](std::string_view text) { return print(stderr, text); }};
}

driver::RunOutput terminal(int descriptor, const CLI::App& command, driver::RunOptions& options,
                           text::Colour colour) {
  note_given(command, options);
  options.version = WARPLENS_VERSION;
  options.colour = text::colour_wanted(descriptor, colour);
  options.colour_of_file = colour == text::Colour::always;
  if (options.width == 0) options.width = text::terminal_width(descriptor);
  driver::RunOutput out = streams();
  out.page = [descriptor, off = options.no_pager](std::string_view text) {
    return !off && os::page(text, descriptor);
  };
  return out;
}

int finish(int code) {
  if (lost == 0) return code;
  diag::Diagnostic error =
      diag::error("output-lost", std::string("cannot write to standard output: ") + std::strerror(lost), {},
                  os::full_disk_help(lost));
  print(stderr, "warplens: " + diag::render(error, {}, text::colour_wanted(STDERR_FILENO)));
  return 2;
}

} // namespace warplens::cli
