// A kernel's PTX, judged for all launches: what `warplens check` says of it, access by access.
#include "arch/table.h"
#include "check/check.h"
#include "check/words.h"
#include "playground/answer.h"
#include "ptx/parse.h"
#include "source/places.h"
#include <charconv>
#include <nlohmann/json.hpp>

namespace warplens::playground {
namespace {

// "32,8"; none where it is no block.
std::optional<Dim3> block_of(std::string_view text) {
  u32 size[3] = {1, 1, 1};
  const char *at = text.data(), *end = at + text.size();
  for (u32& extent : size) {
    auto [next, error] = std::from_chars(at, end, extent);
    if (error != std::errc() || extent == 0) return {};
    if (next == end) return Dim3{size[0], size[1], size[2]};
    if (*next != ',' && *next != 'x') return {};
    at = next + 1;
  }
  return {};
}

Json judgement_json(const check::Judgement& j) {
  const access::SourceFrame place = source::user_frame(j.site);
  Json out{{"line", place.line},
           {"ptx_line", j.site.ptx_line},
           {"instruction", j.site.opcode},
           {"what", check::described(j)},
           {"verdict", check::name(j.verdict)},
           {"fine", check::is_fine(j.verdict)},
           {"known", j.verdict != check::Verdict::unknown && j.verdict != check::Verdict::not_judged},
           {"conditional", j.conditional || !j.demands.empty()},
           {"blocks", check::text(j.blocks)},
           {"pattern", check::pattern_text(j)},
           {"cost", check::cost_text(j)},
           {"needed", j.needed},
           {"conditions", check::texts(j.conditions)},
           {"reasons", check::texts(j.reasons)}};
  if (j.advice && !j.advice->change.empty()) out["change"] = j.advice->change;
  return out;
}

} // namespace

Json judged(std::string_view ptx, std::string_view block, unsigned sm) {
  Result<ptx::Parsed> parsed = ptx::parse(ptx, {.name = "PTX"});
  if (!parsed) return error_json(parsed.error(), ptx);
  check::Options options;
  const arch::Architecture* row = arch::find(sm);
  if (row == nullptr)
    return error_json(diag::error("unknown-architecture", "there is no such compute capability"), {});
  options.architectures = {row};
  if (!block.empty()) {
    options.block = block_of(block);
    if (!options.block)
      return error_json(diag::error("explain-numbers", "the block is not up to three whole numbers", {},
                                    "write for example 32,8; leave it empty for any block"),
                        {});
  }
  const check::Checked checked = check::check(parsed->module, options);
  Json out{{"kernels", checked.kernels}, {"accesses", Json::array()}};
  for (const check::Judgement& j : checked.judgements) {
    out["accesses"].push_back(judgement_json(j));
    out["accesses"].back()["kernel"] = j.kernel;
  }
  return out;
}

} // namespace warplens::playground
