// The table of known options, each with what clang is told instead. See options.h.
#include "nvrtc/options.h"
#include "arch/table.h"
#include "base/blanks.h"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <string_view>

namespace warplens::runtime {
namespace {

// What follows an option's name. flag: nothing; value: something, after '=', as the next option, or glued to -D, -U and -I;
// choice: true or false after '='.
enum class Takes : u8 { flag, value, choice };
enum class Fate : u8 { drop, refuse, pass, architecture, standard, contraction, flush, fast_math, device };

struct Known {
  std::string_view long_name, short_name; // as NVRTC's documentation lists them; "": there is none
  Takes takes;
  Fate fate;
  std::string_view passed = {}; // by which name
};
constexpr Known known_options[] = {
    {"--gpu-architecture", "-arch", Takes::value, Fate::architecture},
    {"--std", "-std", Takes::value, Fate::standard},
    {"--define-macro", "-D", Takes::value, Fate::pass, "-D"},
    {"--undefine-macro", "-U", Takes::value, Fate::pass, "-U"},
    {"--include-path", "-I", Takes::value, Fate::pass, "-I"},
    {"--pre-include", "-include", Takes::value, Fate::pass, "-include"},
    {"--disable-warnings", "-w", Takes::flag, Fate::pass, "-w"},
    {"--use_fast_math", "-use_fast_math", Takes::flag, Fate::fast_math},
    {"--fmad", "-fmad", Takes::choice, Fate::contraction},
    {"--ftz", "-ftz", Takes::choice, Fate::flush},
    {"--device-as-default-execution-space", "-default-device", Takes::flag, Fate::device},
    {"--device-c", "-dc", Takes::flag,
     Fate::drop}, // clang leaves what is not there to the linker in any case
    {"--device-w", "-dw", Takes::flag, Fate::drop},
    {"--relocatable-device-code", "-rdc", Takes::choice, Fate::drop},
    {"--extensible-whole-program", "-ewp", Takes::flag, Fate::drop},
    {"--device-debug", "-G", Takes::flag, Fate::drop},
    {"--generate-line-info", "-lineinfo", Takes::flag, Fate::drop}, // always
    {"--dopt", "-dopt", Takes::value, Fate::drop},
    {"--Ofast-compile", "-Ofc", Takes::value, Fate::drop},
    {"--ptxas-options", "-Xptxas", Takes::value, Fate::drop},
    {"--maxrregcount", "-maxrregcount", Takes::value, Fate::drop},
    {"--prec-sqrt", "-prec-sqrt", Takes::choice, Fate::drop},
    {"--prec-div", "-prec-div", Takes::choice, Fate::drop},
    {"--extra-device-vectorization", "-extra-device-vectorization", Takes::flag, Fate::drop},
    {"--modify-stack-limit", "-modify-stack-limit", Takes::choice, Fate::drop},
    {"--device-stack-protector", "-device-stack-protector", Takes::choice, Fate::drop},
    {"--dlink-time-opt", "-dlto", Takes::flag, Fate::refuse},
    {"--gen-opt-lto", "-gen-opt-lto", Takes::flag, Fate::refuse},
    {"--optix-ir", "-optix-ir", Takes::flag, Fate::refuse},
    {"--fdevice-syntax-only", "-fdevice-syntax-only", Takes::flag, Fate::refuse},
    {"--builtin-move-forward", "-builtin-move-forward", Takes::choice, Fate::drop},
    {"--builtin-initializer-list", "-builtin-initializer-list", Takes::choice, Fate::drop},
    {"--no-source-include", "-no-source-include", Takes::flag, Fate::drop},
    {"--restrict", "-restrict", Takes::flag, Fate::drop},
    {"--device-int128", "-device-int128", Takes::flag, Fate::drop},
    {"--device-float128", "-device-float128", Takes::flag, Fate::drop},
    {"--optimization-info", "-opt-info", Takes::value, Fate::drop},
    {"--version-ident", "-dQ", Takes::choice, Fate::drop},
    {"--display-error-number", "-err-no", Takes::flag, Fate::drop},
    {"--no-display-error-number", "-no-err-no", Takes::flag, Fate::drop},
    {"--diag-error", "-diag-error", Takes::value, Fate::drop},
    {"--diag-suppress", "-diag-suppress", Takes::value, Fate::drop},
    {"--diag-warn", "-diag-warn", Takes::value, Fate::drop},
    {"--brief-diagnostics", "-brief-diag", Takes::choice, Fate::drop},
    {"--time", "-time", Takes::value, Fate::drop},
    {"--split-compile", "-split-compile", Takes::value, Fate::drop},
    {"--fdevice-time-trace", "-fdevice-time-trace", Takes::value, Fate::drop},
    {"--minimal", "-minimal", Takes::flag, Fate::drop},
    {"--jump-table-density", "-jtd", Takes::value, Fate::drop},
    {"--frandom-seed", "-frandom-seed", Takes::value, Fate::drop},
    {"--no-cache", "-no-cache", Takes::flag, Fate::drop},
    {"--pch", "-pch", Takes::flag, Fate::drop}, // precompiled headers save time alone
    {"--create-pch", "-create-pch", Takes::value, Fate::drop},
    {"--use-pch", "-use-pch", Takes::value, Fate::drop},
    {"--pch-dir", "-pch-dir", Takes::value, Fate::drop},
    {"--pch-verbose", "-pch-verbose", Takes::choice, Fate::drop},
    {"--pch-messages", "-pch-messages", Takes::choice, Fate::drop},
    {"--instantiate-templates-in-pch", "-instantiate-templates-in-pch", Takes::choice, Fate::drop},
};

const Known* find_known(std::string_view name) {
  auto row = std::find_if(std::begin(known_options), std::end(known_options), [&](const Known& known) {
    return known.long_name == name || known.short_name == name;
  });
  return row == std::end(known_options) ? nullptr : row;
}

constexpr std::string_view standards[] = {"c++03", "c++11", "c++14", "c++17", "c++20", "c++23"};

// "compute_90", "sm_90a": false for what no GPU has had.
bool read_architecture(std::string_view value, NvrtcOptions& out) {
  out.machine_code = value.starts_with("sm_");
  if (!out.machine_code && !value.starts_with("compute_")) return false;
  value.remove_prefix(value.find('_') + 1);
  auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), out.sm);
  const std::string_view rest = value.substr(static_cast<std::size_t>(end - value.data()));
  return error == std::errc() && (rest.empty() || rest == "a" || rest == "f") &&
         arch::find(out.sm) != nullptr;
}

bool apply(const Known& known, std::string_view value, NvrtcOptions& out) {
  switch (known.fate) {
  case Fate::drop: return true;
  case Fate::refuse: return false;
  case Fate::device: out.device_by_default = true; return true;
  case Fate::architecture: return read_architecture(value, out);
  case Fate::fast_math: out.words.emplace_back("-use_fast_math"); return true;
  case Fate::standard:
    out.words.push_back(fmt::format("-std={}", value));
    return std::find(std::begin(standards), std::end(standards), value) != std::end(standards);
  case Fate::contraction:
    if (value == "false") out.words.emplace_back("-ffp-contract=off");
    return true;
  case Fate::flush:
    if (value == "true") out.words.emplace_back("-fgpu-flush-denormals-to-zero");
    return true;
  case Fate::pass:
    out.words.emplace_back(known.passed);
    if (known.takes == Takes::value) out.words.emplace_back(value);
    return true;
  }
  return false;
}

struct Split {
  const Known* known = nullptr;
  std::string_view value;
  bool has_value = false;
};

// "--std=c++17", "-arch", "-DN=4".
Split split(std::string_view option) {
  for (std::string_view glued : {"-D", "-U", "-I"})
    if (option.starts_with(glued) && option.size() > 2)
      return {find_known(glued), option.substr(option[2] == '=' ? 3 : 2), true};
  const std::size_t equals = option.find('=');
  Split out{find_known(option.substr(0, equals)), {}, equals != option.npos};
  if (out.has_value) out.value = option.substr(equals + 1);
  return out;
}

bool fits(const Split& split) {
  switch (split.known->takes) {
  case Takes::flag: return !split.has_value;
  case Takes::value: return split.has_value && !split.value.empty();
  case Takes::choice: return !split.has_value || split.value == "true" || split.value == "false";
  }
  return false;
}

} // namespace

ResultOr<NvrtcOptions, std::string> nvrtc_options(std::span<const char* const> options) {
  NvrtcOptions out;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string_view option = trimmed(options[i] ? options[i] : "");
    Split parts = split(option);
    if (!parts.known) return failure(fmt::format("nvrtc: error: unrecognized option {} found", option));
    if (parts.known->takes == Takes::value && !parts.has_value && i + 1 < options.size() && options[i + 1])
      parts.value = trimmed(options[++i]), parts.has_value = true;
    if (!fits(parts) || !apply(*parts.known, trimmed(parts.value), out))
      return failure(fmt::format("nvrtc: error: invalid value for {} ({})", parts.known->long_name, option));
  }
  return out;
}

} // namespace warplens::runtime
