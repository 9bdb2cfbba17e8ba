// replay TARGET MUTATIONS FOLDER…: gives a target every file of the folders, then MUTATIONS inputs made from them, always the
// same ones. An input that crashes it, takes longer than a minute, or more memory than there is reason for, is written to
// crash-TARGET in the current folder, and the exit code is not 0. `replay TARGET 0 crash-TARGET` tries it again.
#include "fuzz/mutate.h"
#include "fuzz/target.h"
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/resource.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;
using namespace warplens;

std::string_view current; // the input that is being tried
std::string crash_file;

void keep_input(int signal) {
  static const char words[] = "the input is kept as ";
  int file = open(crash_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file >= 0 && write(file, current.data(), current.size()) >= 0 &&
      write(2, words, sizeof words - 1) >= 0 && write(2, crash_file.data(), crash_file.size()) >= 0)
    (void)!write(2, "\n", 1);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void watch() {
  static char own_stack[1 << 16]; // a target may have run out of its own
  stack_t stack{};
  stack.ss_sp = own_stack;
  stack.ss_size = sizeof own_stack;
  sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_handler = keep_input;
  action.sa_flags = SA_ONSTACK;
  for (int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM}) sigaction(signal, &action, nullptr);
#ifndef WARPLENS_SANITIZED // whose own memory counts, too
  rlimit memory{rlim_t{2} << 30, rlim_t{2} << 30};
  setrlimit(RLIMIT_DATA, &memory);
#endif
}

std::vector<std::string> seeds_in(const std::vector<std::string>& places) {
  std::vector<fs::path> files;
  for (const fs::path place : places) {
    if (!fs::is_directory(place))
      files.push_back(place);
    else
      for (const fs::directory_entry& entry : fs::directory_iterator(place))
        if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> seeds;
  for (const fs::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    if (!in) {
      std::fprintf(stderr, "%s: cannot be read\n", file.c_str());
      std::exit(2);
    }
    seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return seeds;
}

void try_input(const fuzz::Target& target, std::string_view input) {
  current = input;
  alarm(60);
  target.run(input);
  alarm(0);
}

} // namespace

int main(int argc, char** argv) {
  const fuzz::Target* target = argc >= 4 ? fuzz::find_target(argv[1]) : nullptr;
  if (!target) {
    std::fprintf(stderr, "usage: replay TARGET MUTATIONS FOLDER…\n");
    return 2;
  }
  std::vector<std::string> seeds = seeds_in({argv + 3, argv + argc});
  if (seeds.empty()) {
    std::fprintf(stderr, "there are no seeds\n");
    return 2;
  }
  crash_file = "crash-" + std::string(target->name);
  watch();
  for (const std::string& seed : seeds) try_input(*target, seed);
  std::mt19937_64 random(1);
  unsigned long mutations = std::strtoul(argv[2], nullptr, 10);
  for (unsigned long i = 0; i < mutations; ++i) try_input(*target, fuzz::mutation(seeds, random));
  std::printf("%s: %zu seeds, %lu mutations\n", argv[1], seeds.size(), mutations);
  return 0;
}
