// From a Question to its Explanation: check, parse, evaluate every thread of the block, count, compare, look
// for fixes.
#include "arch/table.h"
#include "base/bits.h"
#include "explain/expr/evaluate.h"
#include "explain/expr/parser.h"
#include "explain/expr/spelling.h"
#include "explain/fixes.h"
#include "explain/model/form.h"
#include "text/words.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace warplens::explain {
namespace {

using access::Kind;
using access::Space;
using diag::Diagnostic;

std::optional<Diagnostic> check_launch(const Question& q, const arch::Architecture& arch) {
  const Dim3 &b = q.block, &g = q.grid, &c = q.cta;
  if (std::optional<LaunchProblem> bad = launch_problem(arch.limits.launch(), g, b))
    return diag::error(bad->of == LaunchProblem::Of::block ? "explain-block" : "explain-grid",
                       std::move(bad->what), {},
                       fmt::format("compute capability {}: {}", text::compute_capability(q.sm), bad->most));
  if (c.x >= g.x || c.y >= g.y || c.z >= g.z)
    return diag::error(
        "explain-cta",
        fmt::format("block ({}, {}, {}) is not in a grid of {}×{}×{}", c.x, c.y, c.z, g.x, g.y, g.z), {},
        "blocks are numbered from 0; give a larger --grid or a smaller --cta");
  u64 warps = ceil_div(b.count(), warp_size);
  if (q.warp >= warps)
    return diag::error("explain-warp", fmt::format("warp {} is not in a block of {} warps", q.warp, warps),
                       {}, "warps are numbered from 0");
  return {};
}

std::optional<Diagnostic> check_operation(const Question& q, const Type& accessed) {
  bool read_only = q.space == Space::constant || q.space == Space::texture;
  if (read_only && q.kind != Kind::load)
    return diag::error("explain-operation", fmt::format("{} memory cannot be written", access::name(q.space)),
                       {}, "use --op load");
  bool atomic = is_atomic(q.kind);
  if (atomic && (q.space == Space::local ||
                 (accessed.size != 2 && accessed.size != 4 && accessed.size != 8 && accessed.size != 16)))
    return diag::error("explain-operation",
                       fmt::format("there is no atomic operation on {} bytes of {} memory", accessed.size,
                                   access::name(q.space)),
                       {}, "atomics take 4 or 8 bytes of global or shared memory");
  if (q.section != 0 && (q.space != Space::global || !std::has_single_bit(q.section)))
    return diag::error("explain-burst", "bursts are of global memory, and their bytes a power of two", {},
                       "write for example --burst 64");
  if (q.kind == Kind::async_copy || q.kind == Kind::ldmatrix)
    return diag::error("explain-operation", fmt::format("explain has no '{}'", access::name(q.kind)), {},
                       "use load, store, atomic or reduction; `warplens replay` counts the others");
  return {};
}

// The parsed question and the values of its variables in one block.
class Session {
public:
  explicit Session(const Question& question) : question_(question), parser_(texts_, tree_) {}

  ResultOr<Explanation, Rejection> run() {
    if (std::optional<Rejection> no = prepare()) return failure(std::move(*no));
    return answer(*arch::find(question_.sm));
  }

  ResultOr<Walk, Rejection> run_to_walk() {
    if (std::optional<Rejection> no = prepare()) return failure(std::move(*no));
    const Mode manner = manner_of_access();
    return Walk{footprint_, manner, misaligned(manner).has_value()};
  }

private:
  Rejection refuse(Diagnostic diagnostic) const { return {std::move(diagnostic), texts_.source()}; }

  // What is wrong with the question, if anything; after it, `target_` and `footprint_` are known.
  std::optional<Rejection> prepare() {
    const arch::Architecture* arch = arch::find(question_.sm);
    if (arch == nullptr)
      return refuse(diag::error(
          "explain-architecture",
          fmt::format("there is no compute capability {}", text::compute_capability(question_.sm)), {},
          "`warplens gpus` lists them; write 70 for 7.0"));
    if (std::optional<Diagnostic> bad = check_launch(question_, *arch)) return refuse(std::move(*bad));
    if (std::optional<Diagnostic> bad = parse()) return refuse(std::move(*bad));
    if (std::optional<Diagnostic> bad = check_operation(question_, target_.accessed))
      return refuse(std::move(*bad));
    if (std::optional<Diagnostic> bad = walk()) return refuse(std::move(*bad));
    return {};
  }

  std::optional<Diagnostic> parse() {
    // The access is text 0, so its lines in diagnostics are the first; definitions are parsed before it.
    Result<Spelling> spelling = spelling_of(question_.access);
    if (!spelling) return std::move(spelling.error());
    question_.access = spelling->access;
    if (!spelling->type.empty()) question_.type = spelling->type;
    if (question_.space == Space::global && spelling->shared) question_.space = Space::shared;
    if (question_.kind == Kind::load && spelling->stores) question_.kind = Kind::store;
    if (question_.kind == Kind::load && spelling->updates) question_.kind = Kind::atomic;
    Result<Type> element = parse_type(question_.type);
    if (!element) {
      texts_.add("--type", question_.type);
      return std::move(element.error());
    }
    for (const auto& [name, text] : question_.settings)
      if (std::optional<Diagnostic> bad = parser_.define(name, text)) return bad;
    if (!question_.condition.empty()) {
      Result<NodeId> condition = parser_.expression("--if", question_.condition);
      if (!condition) return std::move(condition.error());
      condition_ = *condition;
    }
    Result<Target> target = parser_.access(question_.access, *element, question_.dims, question_.pitch);
    if (!target) return std::move(target.error());
    target_ = std::move(*target);
    if (spelling->accessed.empty()) return {};
    Result<Type> accessed = parse_type(spelling->accessed);
    if (!accessed) {
      texts_.add("--type", spelling->accessed);
      return std::move(accessed.error());
    }
    target_.accessed = std::move(*accessed), target_.cast = true;
    return {};
  }

  // Every thread of the block: is it active, and where does it go?
  std::optional<Diagnostic> walk() {
    Evaluator evaluator(tree_, texts_);
    for (u64 thread = 0; thread < question_.block.count(); ++thread) {
      Values all = values_of(tree_, question_, thread);
      footprint_.offset.push_back(0);
      footprint_.active.push_back(1);
      if (condition_.valid()) {
        Result<Wide> condition = evaluator.evaluate(condition_, all);
        if (!condition) return std::move(condition.error());
        footprint_.active.back() = *condition != 0;
        if (*condition == 0) continue;
      }
      Wide offset = target_.offset;
      for (const Subscript& subscript : target_.subscripts) {
        Result<Wide> index = evaluator.evaluate(subscript.index, all);
        if (!index) return std::move(index.error());
        offset += *index * static_cast<Wide>(subscript.stride);
      }
      if (offset != static_cast<i64>(offset) || offset > (i64{1} << 60) || offset < -(i64{1} << 38))
        return texts_.error(
            "explain-address",
            fmt::format("thread {} would access byte {} of the array", thread, decimal(offset)),
            tree_[target_.subscripts[0].index].place, "check the parameters given with --set");
      footprint_.offset.back() = static_cast<i64>(offset);
    }
    warnings_ = parser_.notes();
    if (evaluator.wrapped()) warnings_.push_back(*evaluator.wrapped());
    return {};
  }

  Explanation answer(const arch::Architecture& arch) {
    Explanation out;
    out.question = question_;
    out.assumed = parser_.assumed();
    out.element = target_.element;
    out.accessed = target_.accessed;
    out.array = target_.array;
    out.manner = manner_of_access();
    SymbolicAccess symbolic = symbolic_access(tree_, target_, question_);
    out.form =
        form_of(symbolic, target_, question_, values_of(tree_, question_, u64{question_.warp} * warp_size));
    out.footprint = footprint_;
    count_all(out, arch);
    out.warnings = warnings_;
    out.fault = misaligned(out.manner);
    if (!out.fault)
      out.fixes =
          fixes({arch, question_, tree_, target_, footprint_, out.manner, out.block, out.form, symbolic});
    out.source = texts_.source();
    return out;
  }

  Mode manner_of_access() const {
    return {pieces_of_access(), question_.base, question_.space, question_.kind, question_.cache};
  }

  // A member has the alignment that its place in the structure leaves it.
  std::vector<Piece> pieces_of_access() const {
    Type type = target_.accessed;
    if (target_.cast) return pieces(type); // misaligned() holds it to what the program promises
    u64 common = target_.offset | target_.element.align;
    for (const Subscript& subscript : target_.subscripts) common |= subscript.stride;
    type.align = std::min<u32>(type.align, static_cast<u32>(common & (~common + 1)));
    return pieces(type);
  }

  std::optional<Diagnostic> misaligned(const Mode& manner) const {
    for (Piece piece : manner.pieces)
      for (u32 warp = 0; warp < warps(footprint_); ++warp) {
        access::WarpAccess access = access_of(footprint_, manner, piece, warp);
        for (u32 lane = 0; lane < warp_size; ++lane) {
          if ((access.active >> lane & 1) == 0 || access.address[lane] % piece.bytes == 0) continue;
          Diagnostic out =
              diag::error("explain-misaligned", fmt::format("lane {} of warp {} would access {} bytes at an "
                                                            "address that is {} more than a multiple of {}",
                                                            lane, warp, piece.bytes,
                                                            access.address[lane] % piece.bytes, piece.bytes));
          out.notes.push_back("a GPU stops the kernel with cudaErrorMisalignedAddress");
          out.help = fmt::format("start the array at a multiple of {} bytes, or read it in smaller words",
                                 piece.bytes);
          return out;
        }
      }
    return {};
  }

  Question question_; // with what its spelling says
  Texts texts_;
  Tree tree_;
  Parser parser_;
  NodeId condition_;
  Target target_;
  Footprint footprint_;
  std::vector<Diagnostic> warnings_;
};

} // namespace

ResultOr<Explanation, Rejection> explain(const Question& question) { return Session(question).run(); }
ResultOr<Walk, Rejection> walk(const Question& question) { return Session(question).run_to_walk(); }

} // namespace warplens::explain
