// See ncu_report.h; the messages are in ncu_messages.h.
#include "measured/ncu_report.h"
#include "measured/ncu_messages.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace warplens::measured {
namespace {

using ncu::Damaged;
using os::as_text;
using os::Bytes;

constexpr std::string_view magic{"NVR\0", 4};
constexpr u64 newest_known_version = 7;

// Pieces of the file: each a u32 and as many bytes.
class Pieces {
public:
  Pieces(Bytes bytes, u64 at, u64 end) : bytes_(bytes), at_(at), end_(end) {}
  bool more() const { return at_ < end_; }
  u64 at() const { return at_; }
  void go_to(u64 at) { at_ = at; }
  Bytes next(const char* what) {
    u32 size = 0;
    if (end_ - at_ < sizeof size)
      throw Damaged(fmt::format("it ends at byte {}, where {} should begin", end_, what));
    std::memcpy(&size, bytes_.data() + at_, sizeof size);
    const u64 left = end_ - at_ - sizeof size;
    if (size > left)
      throw Damaged(
          fmt::format("{} at byte {} should have {} bytes, and {} are left", what, at_, size, left));
    at_ += sizeof size + size;
    return bytes_.subspan(at_ - size, size);
  }
  // The next so many bytes by themselves.
  Pieces part(u64 size, const char* what) const {
    if (size > end_ - at_)
      throw Damaged(
          fmt::format("{} at byte {} should have {} bytes, and {} are left", what, at_, size, end_ - at_));
    return {bytes_, at_, at_ + size};
  }

private:
  Bytes bytes_;
  u64 at_, end_;
};

std::optional<access::Space> space_of(u64 type) {
  switch (type) {
  case 4:
  case 20: return access::Space::global; // 20: to shared memory
  case 8: return access::Space::local;
  case 16: return access::Space::shared;
  default: return {};
  }
}

std::optional<access::Kind> kind_of(u64 operation) {
  switch (operation) {
  case 2: return access::Kind::load;
  case 4: return access::Kind::store;
  case 6: return access::Kind::async_copy;
  case 8: return access::Kind::atomic;
  default: return {};
  }
}

class Reader {
public:
  explicit Reader(Measured& out) : out_(out) {}

  void read(Bytes bytes) {
    Pieces pieces(bytes, magic.size(), bytes.size());
    version_ = ncu::version_of(pieces.next("the header of the file"));
    while (pieces.more()) {
      const ncu::Block block = ncu::block_of(pieces.next("the header of a block"), strings_, out_.machine);
      Pieces content = pieces.part(block.bytes, "a block");
      pieces.go_to(pieces.at() + block.bytes);
      for (u64 i = 0; i < block.modules; ++i) module(content.next("a module"), block.process);
      for (u64 i = 0; i < block.results; ++i) kernel(content.next("a result"), block.process);
      others_ += block.others;
    }
  }

  u64 version() const { return version_; }
  u64 others() const { return others_; }

private:
  // A module of a process, and where its functions were loaded.
  struct Loaded {
    std::optional<std::size_t> code;
    std::map<std::string, u64> functions;
    std::map<u64, std::string> by_address; // the same; made when it is asked for
  };

  void module(Bytes message, i64 process) {
    ncu::Module module = ncu::module_of(message, out_.sources);
    Loaded& loaded = modules_[{process, module.id}];
    if (!module.cubin.empty()) {
      const std::string_view image = as_text(module.cubin);
      auto known = std::ranges::find(out_.code, image); // other processes load the same
      loaded.code = static_cast<std::size_t>(known - out_.code.begin());
      if (known == out_.code.end()) out_.code.emplace_back(image);
    }
    for (auto& [name, address] : module.functions) loaded.functions[name] = address;
    loaded.by_address.clear();
  }

  // Reports have thousands of functions, and as many launches.
  static const std::map<u64, std::string>& by_address(Loaded& loaded) {
    if (loaded.by_address.empty())
      for (const auto& [name, address] : loaded.functions) loaded.by_address[address] = name;
    return loaded.by_address;
  }

  const std::string& name_of(const ncu::Metric& metric) const {
    static const std::string none;
    return metric.name < strings_.size() ? strings_[metric.name] : none;
  }

  void kernel(Bytes message, i64 process) {
    ncu::Kernel kernel = ncu::kernel_of(message);
    Launch& launch = out_.launches.emplace_back();
    launch.kernel = std::move(kernel.mangled);
    launch.name = std::move(kernel.demangled);
    launch.grid = kernel.grid, launch.block = kernel.block;
    launch.process = process;
    if (kernel.driver > 0 && out_.machine.driver.empty())
      out_.machine.driver = fmt::format("{:.7g}", kernel.driver);
    std::map<u64, Instruction> instructions; // by address
    std::optional<u64> begin;
    for (const ncu::Metric& metric : kernel.metrics) {
      const std::string& name = name_of(metric);
      take_elements(metric, name, instructions);
      if (name == "launch__function_pcs")
        for (const ncu::Element& element : ncu::elements_of(metric)) begin = element.value.whole;
      if (name == "launch__shared_mem_per_block_static" || name == "launch__shared_mem_per_block_dynamic")
        launch.shared_bytes += metric.whole.whole;
      if (metric.whole.is_number && !name.empty()) launch.counters[name] = metric.whole.number;
    }
    static const std::map<u64, std::string> none;
    auto loaded = modules_.find({process, kernel.module});
    if (loaded != modules_.end()) launch.code = loaded->second.code;
    place(instructions, loaded == modules_.end() ? none : by_address(loaded->second), begin, launch);
  }

  static void take_elements(const ncu::Metric& metric, const std::string& name,
                            std::map<u64, Instruction>& instructions) {
    std::optional<u64> Counters::*counter = counter_of(name);
    const bool type = name == "memory_type", operation = name == "memory_access_type",
               size = name == "memory_access_size_type";
    if (counter == nullptr && !type && !operation && !size) return;
    for (const ncu::Element& element : ncu::elements_of(metric)) {
      if (!element.correlation.is_number) continue;
      Instruction& instruction = instructions[element.correlation.whole];
      const u64 value = element.value.whole;
      if (counter != nullptr) instruction.counters.*counter = value;
      if (type) instruction.space = space_of(value);
      if (operation) instruction.kind = kind_of(value);
      if (size && value >= 8) instruction.bytes = static_cast<u32>(std::min<u64>(value / 8, 32));
    }
  }

  // Addresses become functions and offsets: of the function that begins last at or before them.
  static void place(std::map<u64, Instruction>& instructions, const std::map<u64, std::string>& functions,
                    std::optional<u64> begin, Launch& launch) {
    for (auto& [address, instruction] : instructions) {
      const auto next = functions.upper_bound(address);
      const auto last = next == functions.begin() ? functions.end() : std::prev(next);
      if (begin && *begin <= address && (last == functions.end() || last->first <= *begin)) {
        instruction.offset = address - *begin;
      } else if (last != functions.end()) {
        instruction.offset = address - last->first;
        if (last->second != launch.kernel) instruction.function = last->second;
      } else {
        instruction.offset = address - instructions.begin()->first; // the kernel's first is executed
      }
      launch.instructions.push_back(std::move(instruction));
    }
  }

  Measured& out_;
  u64 version_ = 0, others_ = 0;
  std::vector<std::string> strings_;
  std::map<std::pair<i64, u64>, Loaded> modules_; // by process and id
};

diag::Diagnostic newer(const std::string& name, u64 version) {
  return diag::warning(
      "measured-newer",
      fmt::format(
          "the report has file version {}; versions up to {} are known: what is new in it is left out",
          version, newest_known_version),
      {name});
}

} // namespace

bool is_ncu_report(Bytes bytes) { return as_text(bytes).starts_with(magic); }

Result<Measured> read_ncu_report(Bytes bytes, const std::string& name) {
  Measured out;
  Reader reader(out);
  try {
    reader.read(bytes);
  } catch (const Damaged& damaged) {
    diag::Diagnostic error = diag::error(
        "measured-malformed", fmt::format("the report is cut off or damaged: {}", damaged.what()), {name});
    if (reader.version() > newest_known_version) error.notes.push_back(newer(name, reader.version()).message);
    error.help = "copy it again from the machine that made it";
    return failure(std::move(error));
  }
  if (reader.version() > newest_known_version) out.messages.push_back(newer(name, reader.version()));
  if (reader.others() != 0)
    out.messages.push_back(diag::warning(
        "measured-ranges",
        fmt::format("{} of ranges and graphs left out: what they count is not of one kernel",
                    reader.others() == 1 ? "1 result" : fmt::format("{} results", reader.others())),
        {name}, "profile with kernel replay, Nsight Compute's default"));
  if (out.launches.empty()) {
    diag::Diagnostic error = diag::error("measured-empty", "the report has no kernel in it", {name});
    for (const diag::Diagnostic& message : out.messages) error.notes.push_back(message.message);
    error.help = "was a kernel launched, and not left out by the profiler's filters?";
    return failure(std::move(error));
  }
  return out;
}

} // namespace warplens::measured
