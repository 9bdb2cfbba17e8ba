// The protocol is JSON-RPC 2.0, one message a line (modelcontextprotocol.io, revision 2025-06-18, "stdio"). A tool is a command of this
// binary: its arguments become words, the command runs as a process of its own, and its answer is the text that a person reads.
//
//   client: {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"explain","arguments":{"access":"A[threadIdx.x*2]"}}}
//   server: {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"A[threadIdx.x*2]   float, …"}],"isError":false}}
//
// Answers have at most 4 KB: what is longer is told in parts (`more`). Paths lie in the folders that the server was started for. That
// keeps mistakes out, not malice: a program that `run` runs does what it likes.
#include "driver/mcp.h"
#include "base/diagnostic.h"
#include "base/nesting.h"
#include "os/captured.h"
#include "os/file.h"
#include "os/temp_dir.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <thread>
#include <unistd.h>

namespace warplens::driver {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t most_bytes = 4096, most_answers = 32, longest_message = 1 << 20;
constexpr std::size_t most_kept = 1 << 20; // of one answer

// Asked of JSON-RPC: the codes of its section 5.1.
enum class Code : int { parse = -32700, request = -32600, method = -32601, arguments = -32602 };
struct Refused {
  Code code;
  std::string why;
};
// What a tool cannot do: an answer to the agent, which may try otherwise.
struct Failed {
  std::string why;
};

json text_of(std::string_view description) { return {{"type", "string"}, {"description", description}}; }
json texts_of(std::string_view description) {
  return {{"type", "array"}, {"items", {{"type", "string"}}}, {"description", description}};
}
json flag_of(std::string_view description) { return {{"type", "boolean"}, {"description", description}}; }

json tool(std::string_view name, std::string_view description, json properties,
          std::vector<std::string> required) {
  return {{"name", name},
          {"description", description},
          {"inputSchema",
           {{"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(required)}}}};
}

json tools() {
  const json sm = text_of("compute capability, such as 90; or several: 70,90");
  json out = json::array();
  out.push_back(
      tool("run",
           "Run a CUDA program on the CPU, without a GPU, and report per source line how its memory accesses "
           "coalesce, why, and what "
           "change helps. Takes a .cu file, an executable, or python3 with a script; then its arguments.",
           {{"command", texts_of("the program and its arguments; paths lie in the server's folders")},
            {"sm", sm},
            {"budget", text_of("time for kernel launches, 60s if nothing is said; numbers with ~ are "
                               "estimates from a sample then")},
            {"lines", flag_of("show every access of every kernel")},
            {"save", text_of("also save the report as JSON to this file, for report and diff")}},
           {"command"}));
  out.push_back(tool("check",
                     "Judge the memory accesses of CUDA sources or PTX without running them, for all "
                     "launches. Each finding has its "
                     "place and its change.",
                     {{"paths", texts_of("files or folders")}, {"sm", sm}}, {"paths"}));
  out.push_back(
      tool("fix",
           "Make the changes in the sources that are mechanical, such as padding a shared array. Without "
           "apply: only show "
           "them as a diff.",
           {{"paths", texts_of("files or folders")}, {"apply", flag_of("write the files")}, {"sm", sm}},
           {"paths"}));
  out.push_back(tool("explain",
                     "Draw one access as written in CUDA: which lanes go to which sectors or banks, what it "
                     "costs, what helps.",
                     {{"access", text_of("A[threadIdx.y*n + threadIdx.x]")},
                      {"set", {{"type", "object"}, {"description", "values of names: {\"n\": \"1024\"}"}}},
                      {"type", text_of("of the element: float, double2")},
                      {"block", text_of("threads: 256 or 32,8")},
                      {"space", text_of("global, shared, local, constant, texture, surface")},
                      {"sm", sm}},
                     {"access"}));
  out.push_back(
      tool("report", "Show a report that run saved.",
           {{"file", text_of("the JSON file")}, {"lines", flag_of("show every access of every kernel")}},
           {"file"}));
  out.push_back(tool("diff", "Compare two reports that run saved: what became better or worse, per line.",
                     {{"before", text_of("the JSON file")}, {"after", text_of("the JSON file")}},
                     {"before", "after"}));
  out.push_back(tool("more", "The next part of an answer that was too long.",
                     {{"answer", {{"type", "integer"}}}, {"part", {{"type", "integer"}}}},
                     {"answer", "part"}));
  return out;
}

class Agent {
public:
  Agent(const McpOptions& options, std::vector<fs::path> folders)
      : options_(options), folders_(std::move(folders)) {}

  // Nothing for what wants no answer.
  std::optional<json> receive(const std::string& line) {
    const bool too_deep = nested_too_deep(line).has_value();
    json message = too_deep ? json(json::value_t::discarded) : json::parse(line, nullptr, false);
    json out{{"jsonrpc", "2.0"}, {"id", nullptr}};
    try {
      if (message.is_discarded())
        throw Refused{Code::parse, too_deep ? "the line is nested too deep" : "the line is not JSON"};
      if (!message.is_object() || !message.contains("method") || !message["method"].is_string())
        throw Refused{Code::request, "the message has no method"};
      if (!message.contains("id")) return {};
      out["id"] = message["id"];
      out["result"] = answer(message["method"].get<std::string>(), message.value("params", json::object()));
    } catch (const Refused& refused) {
      out["error"] = {{"code", static_cast<int>(refused.code)}, {"message", refused.why}};
    } catch (const json::exception&) { // a member of another type than the protocol's
      out["error"] = {{"code", static_cast<int>(Code::arguments)},
                      {"message", "params are not those of the method"}};
    }
    return out;
  }

private:
  json answer(const std::string& method, const json& params) {
    if (method == "ping") return json::object();
    if (method == "initialize") {
      const std::string asked = params.is_object() ? params.value("protocolVersion", "") : "";
      const bool known = asked == "2024-11-05" || asked == "2025-03-26" || asked == "2025-06-18";
      return {{"protocolVersion", known ? asked : "2025-06-18"},
              {"capabilities", {{"tools", json::object()}}},
              {"serverInfo", {{"name", "warplens"}, {"version", options_.version}}},
              {"instructions", "Use check for sources, run for what a program does, explain for one access. "
                               "Change the line that a "
                               "finding names, then run again and compare with diff."}};
    }
    if (method == "tools/list") return {{"tools", tools()}};
    if (method != "tools/call") throw Refused{Code::method, fmt::format("there is no method '{}'", method)};
    if (!params.is_object() || !params.contains("name") || !params["name"].is_string())
      throw Refused{Code::arguments, "params.name is missing"};
    const json arguments = params.value("arguments", json::object());
    if (!arguments.is_object()) throw Refused{Code::arguments, "params.arguments is no object"};
    std::string text;
    bool failed = false;
    try {
      text = call(params["name"].get<std::string>(), arguments);
    } catch (const Failed& why) {
      text = why.why, failed = true;
    }
    return {{"content", {{{"type", "text"}, {"text", first_part(std::move(text))}}}}, {"isError", failed}};
  }

  std::string call(const std::string& name, const json& a) {
    const json all = tools();
    const auto known = std::ranges::find_if(all, [&](const json& one) { return one["name"] == name; });
    if (known == all.end()) throw Refused{Code::arguments, fmt::format("there is no tool '{}'", name)};
    const json& schema = (*known)["inputSchema"];
    for (const json& key : schema["required"])
      if (!a.contains(key.get<std::string>()))
        throw Refused{Code::arguments, fmt::format("the argument '{}' is missing", key.get<std::string>())};
    for (const auto& [key, value] : a.items())
      if (!schema["properties"].contains(key))
        throw Refused{Code::arguments, fmt::format("'{}' is no argument of {}", key, name)};
    if (name == "more") return part_of(number(a, "answer"), number(a, "part"));
    if (name == "run") return run(a);
    if (name == "explain") return explain(a);
    if (name == "report") return command(with_lines({"report", inside(text(a, "file"))}, a));
    if (name == "diff") return command({"diff", inside(text(a, "before")), inside(text(a, "after"))});
    std::vector<std::string> words{"check"};
    if (name == "fix") words.push_back(flag(a, "apply") ? "--fix" : "--fix-dry-run");
    add(words, "--sm", a, "sm");
    for (const std::string& path : texts(a, "paths")) words.push_back(inside(path));
    return command(words);
  }

  std::string run(const json& a) {
    Result<os::TempDir> folder = os::TempDir::create();
    if (!folder) throw Failed{diag::render(folder.error())};
    const std::string report = folder->path() + "/report";
    std::vector<std::string> words{"run", "--no-progress", "--report", report};
    add(words, "--sm", a, "sm");
    words.insert(words.end(), {"--budget", a.contains("budget") ? text(a, "budget") : "60s"});
    if (a.contains("save")) words.insert(words.end(), {"--json", inside(text(a, "save"))});
    words = with_lines(std::move(words), a);
    std::vector<std::string> program = texts(a, "command");
    if (program.empty()) throw Refused{Code::arguments, "'command' is empty"};
    const bool interpreted = program[0] == "python3" || program[0] == "python";
    if (interpreted && program.size() < 2) throw Refused{Code::arguments, "python3 needs a script"};
    std::string& file = program[interpreted ? 1 : 0];
    file = inside(file);
    words.insert(words.end(), program.begin(), program.end());
    const std::string said = command(words);
    const std::string content = os::read_file(report).value_or("");
    constexpr std::size_t most_output = 1000; // of the program's own
    return content.empty()
               ? said
               : content + "\nThe program printed:\n" +
                     (said.size() <= most_output ? said : "…" + said.substr(said.size() - most_output));
  }

  std::string explain(const json& a) {
    std::vector<std::string> words{"explain"};
    if (a.contains("set") && !a["set"].is_object()) throw Refused{Code::arguments, "'set' is no object"};
    if (a.contains("set"))
      for (const auto& [key, value] : a["set"].items())
        words.insert(words.end(),
                     {"--set", key + "=" + (value.is_string() ? value.get<std::string>() : value.dump())});
    for (const char* key : {"type", "block", "space", "sm"}) add(words, fmt::format("--{}", key), a, key);
    const std::string access = text(a, "access");
    if (access.starts_with('-')) throw Refused{Code::arguments, "an access does not begin with '-'"};
    words.push_back(access);
    return command(words);
  }

  // Runs it with the time that a tool has, and gives what it printed.
  std::string command(std::vector<std::string> words) {
    std::error_code error;
    words.insert(words.begin(), fs::canonical("/proc/self/exe", error).string());
    std::stop_source stop;
    std::mutex mutex;
    std::condition_variable_any ended;
    bool over = false, late = false;
    std::jthread clock([&] {
      std::unique_lock lock(mutex);
      if (ended.wait_for(lock, std::chrono::duration<double>(options_.time_limit), [&] { return over; }))
        return;
      late = true;
      stop.request_stop();
    });
    Result<os::Captured> done = os::run_captured(words, {}, stop.get_token());
    {
      std::lock_guard lock(mutex);
      over = true;
    }
    ended.notify_all();
    clock.join();
    if (!done) throw Failed{diag::render(done.error())};
    if (late)
      throw Failed{fmt::format("it took longer than {} s and was stopped: give run a smaller budget",
                               options_.time_limit)};
    constexpr int bad_input = 2; // of a command; others are answers, such as findings
    if (done->exit_code == bad_input) throw Failed{done->output};
    return done->output.empty() ? fmt::format("nothing to say; exit code {}", done->exit_code) : done->output;
  }

  // Absolute, and in one of the folders, links followed.
  std::string inside(const std::string& path) const {
    std::error_code error;
    const fs::path given = fs::path(path).is_absolute() ? fs::path(path) : folders_.front() / path,
                   whole = fs::weakly_canonical(given, error);
    for (const fs::path& folder : folders_) {
      const auto [of_folder, of_path] =
          std::mismatch(folder.begin(), folder.end(), whole.begin(), whole.end());
      if (!error && of_folder == folder.end()) return whole.string();
    }
    throw Failed{fmt::format(
        "'{}' lies in none of the server's folders: warplens mcp --folder DIR allows more", path)};
  }

  static std::vector<std::string> with_lines(std::vector<std::string> words, const json& a) {
    if (flag(a, "lines")) words.push_back("--lines");
    return words;
  }
  static void add(std::vector<std::string>& words, std::string flag, const json& a, const char* key) {
    if (!a.contains(key)) return;
    words.push_back(std::move(flag));
    words.push_back(text(a, key));
  }
  static std::string text(const json& a, const char* key) {
    const json& value = a[key];
    if (value.is_number_integer()) return value.dump();
    if (!value.is_string()) throw Refused{Code::arguments, fmt::format("'{}' is no text", key)};
    return value.get<std::string>();
  }
  static bool flag(const json& a, const char* key) {
    if (!a.contains(key)) return false;
    if (!a[key].is_boolean())
      throw Refused{Code::arguments, fmt::format("'{}' is neither true nor false", key)};
    return a[key].get<bool>();
  }
  static std::size_t number(const json& a, const char* key) {
    if (!a[key].is_number_unsigned()) throw Refused{Code::arguments, fmt::format("'{}' is no number", key)};
    return a[key].get<std::size_t>();
  }
  static std::vector<std::string> texts(const json& a, const char* key) {
    const json& value = a[key];
    if (!value.is_array() || !std::ranges::all_of(value, [](const json& one) { return one.is_string(); }))
      throw Refused{Code::arguments, fmt::format("'{}' is no list of texts", key)};
    return value.get<std::vector<std::string>>();
  }

  // Cut where lines end, of at most `most_bytes`.
  static std::vector<std::string> parts_of(std::string_view text) {
    std::vector<std::string> out;
    while (text.size() > most_bytes) {
      const std::size_t newline = text.rfind('\n', most_bytes - 1);
      std::size_t end = newline == text.npos ? most_bytes : newline + 1;
      while (newline == text.npos && end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
        --end; // UTF-8
      out.emplace_back(text.substr(0, end));
      text.remove_prefix(end);
    }
    out.emplace_back(text);
    return out;
  }

  std::string first_part(std::string text) {
    if (text.size() > most_kept) text.resize(most_kept);
    // What programs print may be anything.
    text = json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
    if (text.size() <= most_bytes) return text;
    if (answers_.size() == most_answers) answers_.erase(answers_.begin());
    answers_[++last_answer_] = parts_of(text);
    return part_of(last_answer_, 1);
  }

  std::string part_of(std::size_t answer, std::size_t part) const {
    const auto found = answers_.find(answer);
    if (found == answers_.end() || part == 0 || part > found->second.size())
      throw Failed{fmt::format("there is no part {} of answer {}", part, answer)};
    const std::vector<std::string>& parts = found->second;
    std::string out = parts[part - 1];
    if (part < parts.size())
      out += fmt::format("[part {} of {}: call `more` with answer {}, part {}]", part, parts.size(), answer,
                         part + 1);
    return out;
  }

  const McpOptions& options_;
  std::vector<fs::path> folders_;
  std::map<std::size_t, std::vector<std::string>> answers_;
  std::size_t last_answer_ = 0;
};

bool write_line(int out, const json& message) {
  const std::string line = message.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
  return os::write_all(out, std::as_bytes(std::span(line)));
}

} // namespace

int serve_agent(const McpOptions& options, int in, int out) {
  std::signal(SIGPIPE, SIG_IGN); // a client that goes is the end of the conversation, not of us
  std::vector<fs::path> folders;
  for (const std::string& folder :
       options.folders.empty() ? std::vector<std::string>{"."} : options.folders) {
    std::error_code error;
    folders.push_back(fs::canonical(folder, error));
    if (error || !fs::is_directory(folders.back())) {
      fmt::print(stderr, "warplens: {}",
                 diag::render(diag::error("no-folder", fmt::format("'{}' is no folder", folder), {},
                                          "give one that exists: --folder DIR")));
      return 2;
    }
  }
  Agent agent(options, std::move(folders));
  std::string waiting;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t count = read(in, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0 && waiting.empty()) return 0;
    if (count <= 0) waiting += '\n'; // the last line may have no end
    waiting.append(buffer, static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    for (std::size_t end; (end = waiting.find('\n')) != waiting.npos; waiting.erase(0, end + 1)) {
      const std::string line = waiting.substr(0, end);
      if (line.find_first_not_of(" \t\r") == line.npos) continue;
      const std::optional<json> reply = agent.receive(line);
      if (reply && !write_line(out, *reply)) return 0;
    }
    if (waiting.size() > longest_message) {
      const json reply{
          {"jsonrpc", "2.0"},
          {"id", nullptr},
          {"error", {{"code", static_cast<int>(Code::request)}, {"message", "a line of more than 1 MiB"}}}};
      write_line(out, reply);
      return 2;
    }
  }
}

} // namespace warplens::driver
