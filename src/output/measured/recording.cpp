// See recording.h. A header line begins the part of one process and one run of the program. Launches of several runs belong
// together by process (in order of appearance in its run) and number; whichever run has a launch's instructions first, counts.
#include "measured/recording.h"
#include "measure/members.h"
#include "measured/launches.h"
#include "text/lines.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::measured {
namespace {

using measure::each;
using measure::json;
using measure::number_of;
using measure::take;
using measure::Unreadable;

constexpr u64 version = 1;

std::string from_base64(const std::string& text) {
  std::string out;
  u32 group = 0, bits = 0;
  for (char c : text) {
    u32 digit = 0;
    if (c >= 'A' && c <= 'Z')
      digit = static_cast<u32>(c - 'A');
    else if (c >= 'a' && c <= 'z')
      digit = static_cast<u32>(c - 'a' + 26);
    else if (c >= '0' && c <= '9')
      digit = static_cast<u32>(c - '0' + 52);
    else if (c == '+')
      digit = 62;
    else if (c == '/')
      digit = 63;
    else if (c == '=')
      break;
    else
      throw Unreadable("member 'image' is not base64");
    group = group << 6 | digit, bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out += static_cast<char>(group >> bits & 0xff);
  }
  return out;
}

std::string shape_of(const Launch& launch) {
  auto dimensions = [](const Dim3& of) { return fmt::format("{}×{}×{}", of.x, of.y, of.z); };
  return fmt::format("'{}' of {} blocks of {}", launch.kernel, dimensions(launch.grid),
                     dimensions(launch.block));
}

// What to do about an error of CUPTI's that the user can mend; empty for others.
std::string step_after(std::string_view note) {
  if (note.find("CUPTI_ERROR_HARDWARE_BUSY") != note.npos)
    return "another profiler counts on this GPU: record again when it has ended";
  if (note.find("CUPTI_ERROR_INSUFFICIENT_PRIVILEGES") != note.npos)
    return "may this user read the GPU's counters? NVIDIA's page ERR_NVGPUCTRPERM says how to allow it";
  return {};
}

class RecordingReader {
public:
  explicit RecordingReader(const std::string& name) : name_(name) {}

  void line(const json& value) {
    measure::expect_object(value, "the line");
    if (value.contains("recording")) return header(value);
    if (!begun_) throw Unreadable("the first line of a recording is not there");
    if (value.contains("device")) return device(value);
    if (value.contains("metrics")) return void(metrics_ = measure::strings(value, "metrics"));
    if (value.contains("cubin")) return cubin(value);
    if (value.contains("launch")) return launch(value);
    if (value.contains("note")) return note(value);
    if (value.contains("memory_used")) return memory(value);
  }

  Measured take_result() {
    std::vector<std::pair<Key, Launch>> launches(std::make_move_iterator(launches_.begin()),
                                                 std::make_move_iterator(launches_.end()));
    for (auto& [key, launch] : launches) out_.launches.push_back(std::move(launch));
    return std::move(out_);
  }

private:
  using Key = std::pair<i64, u64>; // process, in order of appearance in its pass; launch

  void header(const json& value) {
    const u64 is = number_of<u64>(value["recording"], "recording");
    if (is != version)
      throw Unreadable(fmt::format("the recording has version {}, this build reads {}", is, version));
    std::string pass;
    u64 run = 0;
    take(value, "pass", pass);
    take(value, "counted", run); // earlier recordings: a run for each launch
    take(value, "run", run);
    process_ = processes_[{pass, run}]++;
    begun_ = true;
    metrics_.clear();
  }

  void device(const json& value) {
    take(value, "gpu", out_.machine.gpu);
    take(value, "driver", out_.machine.driver);
    take(value, "sm", out_.machine.sm);
    out_.machine.tool = "warplens record";
  }

  void memory(const json& value) {
    u64 used = 0, all = 0;
    take(value, "memory_used", used);
    take(value, "memory", all);
    if (all > 0)
      out_.gpu_memory_share =
          std::max(out_.gpu_memory_share, static_cast<double>(used) / static_cast<double>(all));
  }

  void cubin(const json& value) {
    std::string image;
    take(value, "image", image);
    image = from_base64(image);
    auto known = std::ranges::find(out_.code, image); // both passes, and every process, load the same
    cubins_[number_of<u32>(value["cubin"], "cubin")] = static_cast<std::size_t>(known - out_.code.begin());
    if (known == out_.code.end()) out_.code.push_back(std::move(image));
  }

  void launch(const json& value) {
    const u64 index = number_of<u64>(value["launch"], "launch");
    auto [place, fresh] = launches_.try_emplace({process_, index});
    Launch& launch = place->second;
    Launch read;
    take(value, "kernel", read.kernel);
    measure::take_dim(value, "grid", read.grid);
    measure::take_dim(value, "block", read.block);
    take(value, "shared_bytes", read.shared_bytes);
    if (fresh) {
      launch = std::move(read);
      launch.process = process_, launch.number = index;
    } else if (launch.kernel != read.kernel || launch.grid != read.grid || launch.block != read.block) {
      ++out_.mismatches;
      say(fmt::format(
          "launch {} is {} in one run of the program and {} in another: it does not do the same twice, "
          "and what that run counted is left out",
          index, shape_of(launch), shape_of(read)));
      return;
    }
    if (launch.instructions.empty())
      each(value, "functions", [&](const json& function) { instructions(function, launch); });
    if (auto counters = value.find("counters"); counters != value.end()) {
      measure::expect_object(*counters, "counters");
      for (const auto& [name, count] : counters->items())
        if (count.is_number()) launch.counters[name] = count.get<double>();
    }
  }

  void instructions(const json& function, Launch& launch) {
    measure::expect_object(function, "a function");
    u32 cubin = 0;
    std::string name;
    take(function, "cubin", cubin);
    take(function, "function", name);
    if (auto code = cubins_.find(cubin); code != cubins_.end()) launch.code = code->second;
    each(function, "rows", [&](const json& row) {
      if (!row.is_array() || row.size() != metrics_.size() + 1)
        throw Unreadable("a row of an instruction has not one value for each metric");
      Instruction& instruction = launch.instructions.emplace_back();
      if (name != launch.kernel) instruction.function = name;
      instruction.offset = number_of<u64>(row[0], "rows");
      for (std::size_t i = 0; i < metrics_.size(); ++i)
        if (auto counter = counter_of(metrics_[i]); counter != nullptr)
          instruction.counters.*counter = number_of<u64>(row[i + 1], "rows");
    });
  }

  void note(const json& value) {
    std::string text;
    take(value, "note", text);
    say("the recorder says: " + text, step_after(text));
  }

  void say(std::string text, std::string help = {}) {
    constexpr std::size_t most = 20; // one a launch would be no news
    if (out_.messages.size() < most &&
        std::ranges::find(out_.messages, text, &diag::Diagnostic::message) == out_.messages.end())
      out_.messages.push_back(diag::warning("recording-note", std::move(text), {name_}, std::move(help)));
  }

  std::string name_;
  Measured out_;
  bool begun_ = false;
  i64 process_ = 0;
  std::map<std::pair<std::string, u64>, i64> processes_; // by pass and run
  std::vector<std::string> metrics_;
  std::map<u32, std::size_t> cubins_; // by CRC: the runs of a program have them in common
  std::map<Key, Launch> launches_;
};

diag::Diagnostic malformed(const std::string& name, u32 line, std::string message) {
  return diag::error("measured-malformed", std::move(message), {name, line, 0, 0},
                     "give a file that 'warplens record' wrote");
}

} // namespace

bool is_recording(std::string_view text) { return text.starts_with("{\"recording\":"); }

Result<Measured> read_recording(std::string_view content, const std::string& name) {
  RecordingReader reader(name);
  std::vector<diag::Diagnostic> cut;
  u32 number = 0;
  for (std::string_view line : text::lines_of(content)) {
    ++number;
    if (line.empty()) continue;
    json value = json::parse(line, nullptr, false);
    if (value.is_discarded()) {
      if (number == 1) return failure(malformed(name, number, "this is not JSON"));
      cut.push_back(diag::warning("recording-cut", "a line was not written whole and is left out",
                                  {name, number, 0, 0}));
      if (cut.size() > 20)
        return failure(malformed(name, number, "this is no recording: many of its lines are no JSON"));
      continue;
    }
    try {
      reader.line(value);
    } catch (const Unreadable& error) {
      return failure(malformed(name, number, error.what()));
    }
  }
  Measured out = reader.take_result();
  out.messages.insert(out.messages.end(), cut.begin(), cut.end());
  if (out.launches.empty()) {
    diag::Diagnostic none = diag::error("measured-empty", "the recording has no launch", {name});
    for (const diag::Diagnostic& message : out.messages) none.notes.push_back(message.message);
    none.help = "was the program built for this GPU, and did it launch a kernel?";
    return failure(std::move(none));
  }
  return out;
}

} // namespace warplens::measured
