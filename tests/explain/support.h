#pragma once
#include "explain/model/explanation.h"
#include <gtest/gtest.h>

namespace warplens::explain {

inline Question question(std::string access, Dim3 block = {32, 1, 1}, u32 sm = 90) {
  Question q;
  q.access = std::move(access);
  q.block = block;
  q.sm = sm;
  return q;
}

inline Explanation answered(const Question& q) {
  ResultOr<Explanation, Rejection> out = explain(q);
  EXPECT_TRUE(out) << q.access << ": " << (out ? "" : out.error().diagnostic.message);
  return out ? std::move(*out) : Explanation{};
}

// The kind of the diagnostic that refuses the question; "" when it is answered.
inline std::string refused(const Question& q) {
  ResultOr<Explanation, Rejection> out = explain(q);
  return out ? "" : out.error().diagnostic.kind;
}

} // namespace warplens::explain
