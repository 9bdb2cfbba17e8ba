// What a reader is told of a judgement: the one place where its values become sentences. Findings, the page, the editor and the
// playground choose among these; none of them words a verdict itself. What to do about it is said in findings.cpp.
#pragma once
#include "check/judgement.h"
#include <string>

namespace warplens::check {

std::string text(const BlockShape&);  // "any block with blockDim.x % 32 == 0", "blocks of 16x16 threads"
std::string text(const Multiple&);    // "n*m % 8 == 0", "x is a multiple of 16 bytes"
std::string text(const Cause&);       // "a value loaded at a.cu:12"
std::string place_text(const Cause&); // "at a.cu:12", "in PTX line 12"
std::string text(Premise);
template <class T> std::vector<std::string> texts(const std::vector<T>& all) {
  std::vector<std::string> out;
  for (const T& one : all) out.emplace_back(text(one));
  return out;
}

// In an expression, for what has no name in the source and is the same in all lanes.
inline constexpr std::string_view unnamed_value = "a value that all lanes share";

// "load of 4 bytes from A"
std::string described(const Judgement&);
// "stride 4096 bytes", of an unknown stride "stride 4*n bytes"; may be empty
std::string pattern_text(const Judgement&);
// The same, or where the verdict says more than a pattern what lanes do. `joint`: between what it tells and what follows from it.
std::string lanes_text(const Judgement&, std::string_view joint);
// What a warp of it costs on an architecture: "4 sectors", "4 to 5 sectors".
std::string cost_text(const Judgement&, std::size_t architecture = 0);
// All that is counted: "4 to 5 sectors, 1 to 2 tags, 1 request"; of shared memory the wavefronts.
std::string counts_text(const Judgement&, std::size_t architecture);

// What is said beside the verdict, a line each.
struct Remark {
  enum class Kind : u8 { table, cause, some_lanes, varies, premise, place, blocks } kind{};
  std::string text;
};
std::vector<Remark> remarks(const Judgement&);
// The same for the line under an editor's cursor: in as few lines as can be, and with the conditions.
std::vector<std::string> short_remarks(const Judgement&);

std::string fault_text(const Fault&);      // "is misaligned by 2 bytes in every lane"
std::string sizes_text(const Overflow&);   // "from n = 46,341 on", "where n*m reaches 2,147,483,648"
std::string example_text(const Overflow&); // "n = m = 46,341"; may be empty

} // namespace warplens::check
