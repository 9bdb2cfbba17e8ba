// warplens-edits ASKED ANSWERED: which edits of a source are safe. Both are files with JSON (fix/asked.h).
//
// The source is parsed twice, as clang compiles CUDA: for the device, and for the host. An edit is one that both passes allow and
// that is the same in both; and no pass may have left out what the other one left out, too, and what names what is changed.
// This is a program of its own, so that nothing else needs clang's libraries.
#include "edits/remedies.h"
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Tooling/Tooling.h>
#include <fstream>
#include <iostream>
#include <llvm/Support/VirtualFileSystem.h>
#include <sstream>

namespace warplens::edits {
namespace {

using namespace clang;
using Kind = findings::Remedy::Kind;

struct PassResult {
  std::string problem;
  std::vector<Answer> answers;
  std::vector<std::set<std::string>> left_out; // of the words of each answer
};

class FirstError : public DiagnosticConsumer {
public:
  void HandleDiagnostic(DiagnosticsEngine::Level level, const Diagnostic& d) override {
    if (level < DiagnosticsEngine::Error || !text.empty()) return;
    llvm::SmallString<128> words;
    d.FormatDiagnostic(words);
    if (d.hasSourceManager() && d.getLocation().isValid()) {
      const PresumedLoc at = d.getSourceManager().getPresumedLoc(d.getLocation());
      if (at.isValid()) text = std::string(at.getFilename()) + ":" + std::to_string(at.getLine()) + ": ";
    }
    text += words.str();
  }
  std::string text;
};

// Notes what the preprocessor reads and leaves out.
class Watcher : public PPCallbacks {
public:
  Watcher(const SourceManager& sm, std::vector<Skipped>& skipped, std::vector<FileID>& files)
      : sm_(sm), skipped_(skipped), files_(files) {}
  void SourceRangeSkipped(SourceRange range, SourceLocation) override {
    const auto [file, begin] = sm_.getDecomposedLoc(range.getBegin());
    skipped_.push_back({file, begin, sm_.getFileOffset(range.getEnd())});
  }
  void FileChanged(SourceLocation at, FileChangeReason reason, SrcMgr::CharacteristicKind kind,
                   FileID) override {
    if (reason == EnterFile && !SrcMgr::isSystem(kind)) files_.push_back(sm_.getFileID(at));
  }

private:
  const SourceManager& sm_;
  std::vector<Skipped>& skipped_;
  std::vector<FileID>& files_;
};

Answer answer_to(const Unit& unit, const fix::Wish& wish) {
  switch (wish.remedy.kind) {
  case Kind::none:
  case Kind::other_order: return {}; // for people
  case Kind::longer_rows: return longer_rows(unit, wish);
  case Kind::aligned: return aligned(unit, wish);
  case Kind::restricted: return restricted(unit, wish);
  }
  return {};
}

class Consumer : public ASTConsumer {
public:
  Consumer(const std::vector<fix::Wish>& wishes, PassResult& out, std::vector<Skipped>& skipped,
           std::vector<FileID>& files)
      : wishes_(wishes), out_(out), skipped_(skipped), files_(files) {}

  void HandleTranslationUnit(ASTContext& context) override {
    if (context.getDiagnostics().hasErrorOccurred()) return;
    Unit unit{context, skipped_, files_};
    collect(unit);
    const SourceManager& sm = context.getSourceManager();
    const SourceLocation end = sm.getLocForEndOfFile(sm.getMainFileID());
    const PresumedLoc presumed = sm.getPresumedLoc(end);
    std::string why; // nothing is edited
    if (presumed.isInvalid() || presumed.getLine() != sm.getSpellingLineNumber(end))
      why = "the file has #line directives";
    for (FileID file : files_)
      if (file != sm.getMainFileID() &&
          sm.getFileEntryForID(file) == sm.getFileEntryForID(sm.getMainFileID()))
        why = "the file includes itself";
    for (const fix::Wish& wish : wishes_) {
      out_.answers.push_back(why.empty() ? answer_to(unit, wish) : Answer{{{}, why}, {}});
      std::set<std::string>& unseen = out_.left_out.emplace_back();
      for (const std::string& word : out_.answers.back().words) unseen.merge(unit.left_out(word));
    }
  }

private:
  const std::vector<fix::Wish>& wishes_;
  PassResult& out_;
  std::vector<Skipped>& skipped_;
  std::vector<FileID>& files_;
};

class Action : public ASTFrontendAction {
public:
  Action(const std::vector<fix::Wish>& wishes, PassResult& out) : wishes_(wishes), out_(out) {}
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance& compiler, StringRef) override {
    compiler.getPreprocessor().addPPCallbacks(
        std::make_unique<Watcher>(compiler.getSourceManager(), skipped_, files_));
    return std::make_unique<Consumer>(wishes_, out_, skipped_, files_);
  }

private:
  const std::vector<fix::Wish>& wishes_;
  PassResult& out_;
  std::vector<Skipped> skipped_;
  std::vector<FileID> files_;
};

PassResult run_pass(const fix::Asked& asked, const std::vector<std::string>& command) {
  PassResult out;
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  memory->addFile(asked.file, 0, llvm::MemoryBuffer::getMemBufferCopy(asked.text, asked.file));
  auto system = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
  system->pushOverlay(memory);
  IntrusiveRefCntPtr<FileManager> files(new FileManager(FileSystemOptions(), system));
  std::vector<std::string> words = command;
  words.insert(words.begin() + 1,
               {"-resource-dir", WARPLENS_CLANG_RESOURCES, "-fsyntax-only", "-w", "-ferror-limit=1"});
  FirstError errors;
  tooling::ToolInvocation pass(words, std::make_unique<Action>(asked.wishes, out), files.get());
  pass.setDiagnosticConsumer(&errors);
  if (!pass.run() || !errors.text.empty() || out.answers.size() != asked.wishes.size())
    out.problem = errors.text.empty() ? "it is not understood" : errors.text;
  return out;
}

bool same_edits(const std::vector<findings::Edit>& a, const std::vector<findings::Edit>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const findings::Edit& x, const findings::Edit& y) {
                      return x.line == y.line && x.column == y.column && x.end_line == y.end_line &&
                             x.end_column == y.end_column && x.replacement == y.replacement;
                    });
}

void sort(std::vector<findings::Edit>& edits) {
  std::sort(edits.begin(), edits.end(), [](const findings::Edit& a, const findings::Edit& b) {
    return std::tie(a.line, a.column) < std::tie(b.line, b.column);
  });
}

// What all passes allow.
fix::Made agreed(std::vector<PassResult>& passes, std::size_t wish) {
  fix::Made out = passes.front().answers[wish].made;
  sort(out.edits);
  std::set<std::string> unseen = passes.front().left_out[wish];
  for (PassResult& pass : passes) {
    fix::Made& other = pass.answers[wish].made;
    sort(other.edits);
    if (other.edits.empty()) return other;
    if (!same_edits(out.edits, other.edits)) return {{}, "device and host code differ in it"};
    std::erase_if(unseen, [&](const std::string& place) { return !pass.left_out[wish].contains(place); });
  }
  if (!unseen.empty())
    return {{},
            "code that an #if leaves out names it, too: " +
                unseen.begin()->substr(0, unseen.begin()->rfind(':'))};
  return out;
}

fix::Answered answered(const fix::Asked& asked) {
  fix::Answered out;
  std::vector<PassResult> passes;
  for (const std::vector<std::string>& command : asked.commands) {
    passes.push_back(run_pass(asked, command));
    if (!passes.back().problem.empty()) return {passes.back().problem};
  }
  for (std::size_t i = 0; i < asked.wishes.size() && !passes.empty(); ++i)
    out.made.push_back(agreed(passes, i));
  return out;
}

} // namespace
} // namespace warplens::edits

int main(int count, char** words) {
  using namespace warplens;
  if (count != 3) {
    std::cerr << "warplens-edits: it is started by warplens, with two files\n";
    return 2;
  }
  std::stringstream text;
  text << std::ifstream(words[1], std::ios::binary).rdbuf();
  const std::optional<fix::Asked> asked = fix::read_asked(text.str());
  if (!asked) return 2;
  std::ofstream file(words[2], std::ios::binary);
  file << fix::json(edits::answered(*asked));
  file.close();
  return file ? 0 : 2;
}
