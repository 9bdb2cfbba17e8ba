// Two threads: this one reads messages and answers at once; the worker judges files, one at a time, and hands what it found to
// the session in its turn. Neither waits for the other but for as long as a message takes.
#include "driver/lsp.h"
#include "driver/findings/editor_answers.h"
#include "lsp/framing.h"
#include "lsp/session.h"
#include "lsp/worker.h"
#include "os/file.h"
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <span>
#include <unistd.h>

namespace warplens::driver {
namespace {

using std::chrono::milliseconds;

class Server {
public:
  Server(const LspOptions& options, int out)
      : out_(out), answers_(options), session_(services(options.check.version)) {}

  // False once the conversation has ended.
  bool receive(const std::string& content) {
    std::lock_guard turn(turn_);
    session_.receive(content);
    return !session_.ended() && !lost_;
  }
  void refuse(const std::string& why) {
    std::lock_guard turn(turn_);
    session_.refuse(why);
  }
  int exit_code() const { return session_.exit_code(); }

private:
  lsp::Services services(const std::string& version) {
    return {.send = [this](const std::string& content) { send(content); },
            .ask = [this](lsp::Question question, milliseconds pause) { ask(std::move(question), pause); },
            .forget = [this](const std::string& file) { worker_.cancel(file); },
            .configure = [this](const std::string& folder,
                                const lsp::Settings& settings) { configure(folder, settings); },
            .runs =
                [this] {
                  if (answers_.runs_are_old())
                    worker_.start(runs_key, milliseconds(0), [this](auto&) { load_runs(); });
                  return answers_.runs();
                },
            .version = version};
  }

  void send(const std::string& content) {
    const std::string message = lsp::framed(content);
    lost_ |= !os::write_all(out_, std::as_bytes(std::span(message)));
  }

  void ask(lsp::Question question, milliseconds pause) {
    const std::string file = question.file;
    worker_.start(file, pause, [this, question = std::move(question)](const std::stop_token& stop) {
      const auto tell = [&](lsp::Answer answer) {
        std::lock_guard turn(turn_);
        if (!stop.stop_requested()) session_.answered(question, std::move(answer));
      };
      tell(answers_.answer(question, stop, tell));
    });
  }

  // Everything is relative to the folder that is worked on: .warplens.toml, what may be quoted, how files are called.
  void configure(const std::string& folder, const lsp::Settings& settings) {
    std::error_code error; // where it is no folder, things stay relative to where we were started
    if (!folder.empty()) std::filesystem::current_path(folder, error);
    answers_.configure(settings);
  }

  void load_runs() {
    if (!answers_.load_runs()) return;
    std::lock_guard turn(turn_);
    session_.refresh_hints();
  }

  static constexpr const char* runs_key = "runs"; // no file: these are absolute
  int out_;
  bool lost_ = false; // the editor does not read any more
  EditorAnswers answers_;
  std::mutex turn_;
  lsp::Session session_;
  lsp::Worker worker_; // last: what it does needs the others
};

} // namespace

int serve_editor(const LspOptions& options, int in, int out) {
  std::signal(SIGPIPE, SIG_IGN); // an editor that goes is the end of the conversation, not of us
  Server server(options, out);
  lsp::MessageReader reader;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t count = read(in, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return server.exit_code();
    reader.feed({buffer, static_cast<std::size_t>(count)});
    while (std::optional<std::string> content = reader.next())
      if (!server.receive(*content)) return server.exit_code();
    if (!reader.refusal().empty()) {
      server.refuse(reader.refusal());
      return 2;
    }
  }
}

} // namespace warplens::driver
