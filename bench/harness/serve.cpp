#include "harness/system.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <iostream>
#include <sstream>

namespace warplens::bench {
namespace {

void answer(const std::string& line) { std::cout << line << std::endl; }

Case make(const std::string& name, u32 size) {
  for (const Workload& workload : workloads())
    if (name == workload.name) return workload.make(size);
  fail(fmt::format("there is no workload '{}'", name));
}

std::string check(System& system, const Case& loaded, bool counting) {
  system.reset(loaded);
  system.launch(counting);
  std::string wrong = difference(loaded, system.read(loaded.result));
  return wrong.empty() ? "ok" : "wrong " + wrong;
}

std::string time(System& system, bool counting, double seconds) {
  std::vector<double> times;
  Launch last;
  for (double end = now() + seconds; times.empty() || now() < end;) {
    last = system.launch(counting);
    times.push_back(last.seconds);
  }
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return fmt::format("ok {:.9f} {} {} {}", times[times.size() / 2], times.size(), last.thread_instructions,
                     last.sectors);
}

bool counting(const std::string& mode) {
  if (mode != "plain" && mode != "counting") fail(fmt::format("'{}' is neither plain nor counting", mode));
  return mode == "counting";
}

} // namespace

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void fail(const std::string& message) {
  std::fputs(("error: " + message + '\n').c_str(), stderr);
  std::exit(2);
}

void print_workloads() {
  for (const Workload& w : workloads())
    fmt::print("{} {:d} {:d} {} {} {} {}\n", w.name, w.goal, w.program, w.full, w.quick, w.reduced, w.tiny);
}

int serve(System& system) {
  answer("ok " + system.description());
  Case loaded;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string verb, word;
    double number = 0;
    words >> verb >> word;
    if (verb != "check" && !(words >> number)) fail(fmt::format("'{}' lacks a number", line));
    if (verb == "load") {
      loaded = make(word, static_cast<u32>(number));
      system.load(loaded);
      answer("ok");
    } else if (loaded.steps.empty()) {
      fail(fmt::format("'{}' before anything was loaded", line));
    } else if (verb == "check") {
      answer(check(system, loaded, counting(word)));
    } else if (verb == "time") {
      answer(time(system, counting(word), number));
    } else {
      fail(fmt::format("no such request: '{}'", line));
    }
  }
  return 0;
}

} // namespace warplens::bench
