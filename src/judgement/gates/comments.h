// Comments for WarpLens in source text:
//
//   a[i * n] = x; // warplens: ignore uncoalesced-store: written once, at the end
//   // warplens: expect sectors<=4, wavefronts==1
//   float v = b[i];
//
// One that follows code is about its line; one that stands alone is about the next statement, up to its first ';' or brace,
// past lines of the preprocessor. Strings and other comments are told apart as C++ does.
#pragma once
#include "gates/comparison.h"

namespace warplens::gates {

struct Comment {
  diag::Span place;            // of the comment
  u32 line = 0, last_line = 0; // that it is about
  std::optional<Comparison> expect;
  std::optional<findings::Rule> ignore; // and why; none for an expectation
  std::string reason;
};

struct Comments {
  std::vector<Comment> all;
  std::vector<diag::Diagnostic> malformed; // kind: malformed-comment
};

// `file`: as findings name it.
Comments read_comments(const std::string& file, std::string_view text);

} // namespace warplens::gates
