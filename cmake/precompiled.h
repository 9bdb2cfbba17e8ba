// The headers that nearly every room includes and that take longest to read, compiled once per level of optimisation
// (cmake/warplens.cmake). A file includes what it uses all the same: -DWARPLENS_PRECOMPILED=OFF builds without.
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <unordered_map>
#include <utility>
#include <vector>
