// Result<T, E>: a value or an error. g++ 12 has no std::expected, so Debian's tl::expected stands in.
#pragma once
#include <tl/expected.hpp>

namespace warplens {

template <class T, class E> using ResultOr = tl::expected<T, E>;
template <class E> auto failure(E&& error) { return tl::unexpected(std::forward<E>(error)); }

} // namespace warplens
