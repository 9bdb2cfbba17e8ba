// What a compilation depended on in the file system: the files that it read, and those whose absence let it
// read them. A header that appears in a folder that is searched earlier changes the outcome without changing
// any file that was read; so does one that __has_include asked for.
#pragma once
#include "os/digest.h"
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warplens::toolchain {

struct Inputs {
  std::vector<std::string> files;  // absolute, each once
  std::vector<std::string> absent; // absolute; neither file nor folder has this name
  bool operator==(const Inputs&) const = default;
};

// The folders that a compiler searches for headers, as gcc and clang list them with -v.
struct SearchPath {
  std::vector<std::string> folders;
  std::vector<std::string> missing; // named by an option, but not there
};
SearchPath search_path_of(std::string_view verbose_output);

// Files named by the line markers (# 12 "file" 1) of preprocessed text, and by a make rule (target: file
// file).
std::vector<std::string> files_of_line_markers(std::string_view preprocessed);
std::vector<std::string> files_of_rule(std::string_view rule);

// The inputs of a compilation that began at `start` (nanoseconds since the epoch) and read `files`. None
// where the outcome may depend on more than them: a file that changed since `start` or cannot be read, or
// text with the time of day in it.
std::optional<Inputs> gather_inputs(const std::vector<std::string>& files, const SearchPath&, u64 start);

// The contents of all files; none where one is missing or what should be absent is there.
std::optional<cache::Digest> content_of(const Inputs&);

std::string to_text(const Inputs&);
std::optional<Inputs> inputs_of_text(std::string_view);

} // namespace warplens::toolchain
