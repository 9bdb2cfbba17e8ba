// A reader for each message, by the numbers of its fields. See ncu_messages.h.
#include "measured/ncu_messages.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace warplens::measured::ncu {
namespace {

using os::as_text;
using os::Bytes;

// Calls `f` for each field of a message. A field of a number that is known, but of another type, is a newer meaning: its
// bytes are empty, or its value 0, and nothing comes of it.
template <class F> void each_field(Bytes message, const char* what, F&& f) {
  Fields fields(message);
  while (std::optional<Field> field = fields.next()) f(*field);
  if (!fields.ok()) throw Damaged(fmt::format("{} is damaged", what));
}

Value value_of(Bytes message) {
  Value out;
  each_field(message, "a value", [&](const Field& field) {
    if (field.number == 1) out.text = as_text(field.bytes);
    if (field.number < 2 || field.number > 5 || field.type == Field::Type::bytes) return;
    out.is_number = true;
    if (field.type == Field::Type::fixed32) out.number = std::bit_cast<float>(static_cast<u32>(field.value));
    if (field.type == Field::Type::fixed64) out.number = std::bit_cast<double>(field.value);
    if (field.type == Field::Type::varint)
      out.number = static_cast<double>(field.value), out.whole = field.value;
    constexpr double most = 9.2e18;
    if (field.type != Field::Type::varint && out.number >= 0 && out.number < most)
      out.whole = static_cast<u64>(out.number);
  });
  return out;
}

Dim3 dim_of(Bytes message) {
  u64 of[3] = {};
  each_field(message, "a size of a launch", [&](const Field& field) {
    if (field.number >= 1 && field.number <= 3) of[field.number - 1] = field.value;
  });
  auto within = [](u64 value) { return static_cast<u32>(std::min<u64>(value, ~u32{0})); };
  return {within(of[0]), within(of[1]), within(of[2])};
}

void take_attribute(Bytes message, Machine& machine) {
  std::string_view name;
  Value value;
  each_field(message, "an attribute of a device", [&](const Field& field) {
    if (field.number == 1) name = as_text(field.bytes);
    if (field.number == 2) value = value_of(field.bytes);
  });
  const u32 number = static_cast<u32>(std::min<u64>(value.whole, 99));
  if (name == "device__attribute_compute_capability_major") machine.sm = number * 10 + machine.sm % 10;
  if (name == "device__attribute_compute_capability_minor") machine.sm = machine.sm / 10 * 10 + number % 10;
}

void take_session(Bytes message, Machine& machine) {
  each_field(message, "the session", [&](const Field& field) {
    if (field.number == 6)
      each_field(field.bytes, "a device", [&](const Field& part) {
        if (part.number == 2) machine.gpu = as_text(part.bytes);
        if (part.number == 3) take_attribute(part.bytes, machine);
      });
    if (field.number != 8) return;
    std::string_view of, version;
    each_field(field.bytes, "a version", [&](const Field& part) {
      if (part.number == 1) of = as_text(part.bytes);
      if (part.number == 2) version = as_text(part.bytes);
    });
    if (of == "Nsight Compute Target") // "2025.3.1.0 (build …)"
      machine.tool = fmt::format("Nsight Compute {}", version.substr(0, version.find(' ')));
  });
}

void take_files(Bytes message, std::map<std::string, std::string>& sources) {
  each_field(message, "the source files", [&](const Field& file) {
    if (file.number != 1) return;
    std::string_view path, text;
    each_field(file.bytes, "a source file", [&](const Field& part) {
      if (part.number == 1) path = as_text(part.bytes);
      if (part.number == 2) text = as_text(part.bytes);
    });
    if (!path.empty()) sources.try_emplace(std::string(path), text);
  });
}

} // namespace

u64 version_of(Bytes file_header) {
  u64 version = 0;
  each_field(file_header, "the header of the file", [&](const Field& field) {
    if (field.number == 1) version = field.value;
  });
  return version;
}

Block block_of(Bytes message, std::vector<std::string>& strings, Machine& machine) {
  Block out;
  each_field(message, "the header of a block", [&](const Field& field) {
    switch (field.number) {
    case 1: out.modules = field.value; break;
    case 2: out.results = field.value; break;
    case 3: take_session(field.bytes, machine); break;
    case 4:
      each_field(field.bytes, "the table of strings", [&](const Field& string) {
        if (string.number == 1) strings.emplace_back(as_text(string.bytes));
      });
      break;
    case 5: out.bytes = field.value; break;
    case 6:
      each_field(field.bytes, "a process", [&](const Field& part) {
        if (part.number == 1) out.process = static_cast<i64>(part.value);
      });
      break;
    case 7:
    case 8:
    case 9: out.others += std::min<u64>(field.value, ~u32{0}); break;
    default: break;
    }
  });
  return out;
}

Module module_of(Bytes message, std::map<std::string, std::string>& sources) {
  Module out;
  each_field(message, "a module", [&](const Field& field) {
    if (field.number == 1) out.id = field.value;
    if (field.number == 4) out.cubin = field.bytes;
    if (field.number == 8) take_files(field.bytes, sources);
    if (field.number != 9) return;
    each_field(field.bytes, "the symbols of a module", [&](const Field& symbol) {
      if (symbol.number != 1) return;
      auto& [name, address] = out.functions.emplace_back();
      each_field(symbol.bytes, "a function", [&](const Field& part) {
        if (part.number == 1) name = as_text(part.bytes);
        if (part.number == 2) address = part.value;
      });
    });
  });
  return out;
}

Kernel kernel_of(Bytes message) {
  Kernel out;
  each_field(message, "the result of a kernel", [&](const Field& field) {
    switch (field.number) {
    case 5: out.mangled = as_text(field.bytes); break;
    case 7: out.demangled = as_text(field.bytes); break;
    case 10: out.grid = dim_of(field.bytes); break;
    case 11: out.block = dim_of(field.bytes); break;
    case 13: {
      Metric& metric = out.metrics.emplace_back(Metric{.message = field.bytes});
      each_field(field.bytes, "a metric", [&](const Field& part) {
        if (part.number == 1) metric.name = part.value;
        if (part.number == 2) metric.whole = value_of(part.bytes);
      });
      break;
    }
    case 15:
      each_field(field.bytes, "the module of a result", [&](const Field& part) {
        if (part.number == 1) out.module = part.value;
      });
      break;
    case 35:
      if (field.type == Field::Type::fixed32)
        out.driver = std::bit_cast<float>(static_cast<u32>(field.value));
      break;
    default: break;
    }
  });
  return out;
}

std::vector<Element> elements_of(const Metric& metric) {
  std::vector<Element> out;
  each_field(metric.message, "a metric", [&](const Field& field) {
    if (field.number != 3) return;
    Element& element = out.emplace_back();
    each_field(field.bytes, "an element of a metric", [&](const Field& part) {
      if (part.number == 1) element.correlation = value_of(part.bytes);
      if (part.number == 2) element.value = value_of(part.bytes);
    });
  });
  return out;
}

} // namespace warplens::measured::ncu
