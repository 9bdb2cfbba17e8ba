// Questions of the page about one access, answered by explain/. See answer.h.
#include "playground/answer.h"
#include "arch/table.h"
#include "explain/expr/pool.h"
#include "explain/model/cases.h"
#include "explain/model/words.h"
#include "explain/view/costs.h"
#include "explain/view/picture.h"
#include "explain/view/summary.h"
#include "html/picture.h"
#include "measure/totals.h"
#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

namespace warplens::playground {
namespace {

using access::Space;
using explain::Explanation;
using explain::Question;
using explain::Rejection;

// ---- what is asked

std::string text_of(const Json& asked, const char* key, std::string otherwise = {}) {
  auto at = asked.find(key);
  return at != asked.end() && at->is_string() ? at->get<std::string>() : otherwise;
}

// A number, or a text that is one; anything else is not there.
u64 number_of(const Json& asked, const char* key, u64 otherwise = 0) {
  auto at = asked.find(key);
  if (at == asked.end()) return otherwise;
  if (at->is_number_unsigned()) return at->get<u64>();
  const std::string text = at->is_string() ? at->get<std::string>() : std::string();
  u64 out = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return !text.empty() && error == std::errc() && end == text.data() + text.size() ? out : otherwise;
}

u32 small_number_of(const Json& asked, const char* key, u32 otherwise = 0) {
  return static_cast<u32>(std::min<u64>(number_of(asked, key, otherwise), ~u32{0}));
}

Result<Question> question_of(const Json& asked) {
  explain::Words words;
  words.access = text_of(asked, "access");
  words.condition = text_of(asked, "if");
  if (auto set = asked.find("set"); set != asked.end() && set->is_array())
    for (const Json& setting : *set)
      if (setting.is_string()) words.settings.push_back(setting.get<std::string>());
  for (auto [key, text] :
       {std::pair("type", &words.type), std::pair("dims", &words.dims), std::pair("block", &words.block),
        std::pair("grid", &words.grid), std::pair("cta", &words.cta), std::pair("space", &words.space),
        std::pair("op", &words.operation), std::pair("cache", &words.cache)})
    *text = text_of(asked, key, *text);
  words.base = number_of(asked, "base");
  words.pitch = number_of(asked, "pitch");
  words.burst = small_number_of(asked, "burst");
  words.warp = small_number_of(asked, "warp");
  return explain::question_of(words, small_number_of(asked, "sm", 90));
}

// ---- costs and pictures

std::string_view unit_of(Space space) {
  return space == Space::shared ? "passes" : space == Space::constant ? "requests" : "bytes";
}

Json cost_json(Space space, const arch::Counts& c) {
  const double efficiency = measure::efficiency(c, space);
  if (space == Space::shared) return {c.wavefronts, c.ideal_wavefronts, c.wavefronts, efficiency};
  if (space == Space::constant) return {c.requests, c.instructions, c.requests, efficiency};
  return {c.transaction_bytes, c.bytes_used, c.transactions, efficiency};
}

// In bursts, where these are asked for.
Json cost_json(const Explanation& e, const arch::Counts& c) {
  const u32 section = e.question.section;
  if (section == 0) return cost_json(e.question.space, c);
  const u64 bursts = explain::groups_fetched(
      explain::picture(*arch::find(e.question.sm), e.drawn[0], e.transactions[0], section));
  return {bursts * section, c.bytes_used, bursts, explain::efficiency(e, c)};
}

// Lanes of an explanation lie where it says that arrays begin; those of a fix may lie at 0.
Json picture_json(const arch::Architecture& row, access::WarpAccess access, u32 section = 0) {
  for (u64& address : access.address)
    if (address >= explain::origin / 2) address -= explain::origin;
  return html::json(html::picture_of(row, access, section));
}

// What the drawn warp costs with one lane more each time: [bytes, transactions, passes, requests].
Json lane_by_lane(const arch::Architecture& row, const Explanation& e) {
  Json out = Json::array();
  for (u32 lane = 0; lane < warp_size; ++lane) {
    arch::Counts sum;
    for (access::WarpAccess one : e.drawn) {
      one.active &= full_mask >> (warp_size - 1 - lane);
      if (one.active != 0) sum += arch::count(row, one);
    }
    out.push_back({sum.transaction_bytes, sum.transactions, sum.wavefronts, sum.requests});
  }
  return out;
}

// ---- answers

Json explanation_json(const Explanation& e, u32 lanes) {
  const arch::Architecture& row = *arch::find(e.question.sm);
  const Space space = e.question.space;
  Json out = explain::json(e);
  out["unit"] = unit_of(space);
  out["sentence"] = explain::cost_sentence(e);
  out["form_words"] = explain::form_text(e, {true, false});
  if (const std::optional<explain::Verdict> said = explain::verdict(e))
    out["verdict"] = {{"fine", said->fine}, {"word", said->word}, {"why", said->why}};
  out["warp_cost"] = cost_json(e, e.warp);
  out["block_cost"] = cost_json(e, e.block);
  out["warps"] = explain::warps(e.footprint);
  out["lanes"] = lane_by_lane(row, e);
  for (std::size_t i = 0; i < e.drawn.size(); ++i) {
    access::WarpAccess drawn = e.drawn[i];
    if (lanes < warp_size) drawn.active &= (u32{1} << lanes) - 1;
    out["instructions"][i]["picture"] = picture_json(row, drawn, e.question.section);
  }
  for (std::size_t i = 0; i < e.fixes.size(); ++i) {
    const advise::Advice& advice = e.fixes[i];
    Json& fix = out["fixes"][i];
    fix["optional"] = explain::optional(advice);
    fix["gain"] = advice.gain();
    fix["before_cost"] = cost_json(space, advice.before);
    fix["after_cost"] = cost_json(space, advice.after);
    if (!advice.lanes) continue;
    fix["picture"] = picture_json(row, *advice.lanes);
    fix["warp_cost"] = cost_json(space, arch::count(row, *advice.lanes));
  }
  Json& all = out["all"] = Json::array();
  for (const arch::Architecture* other : arch::all())
    all.push_back({{"sm", arch::sm(*other)},
                   {"cost", cost_json(space, explain::count_block(*other, e.footprint, e.manner))}});
  for (std::size_t i = 0; i < e.warnings.size(); ++i) out["warnings"][i]["help"] = e.warnings[i].help;
  if (e.fault) out["fault"]["help"] = e.fault->help;
  return out;
}

Json explained(const Json& asked) {
  Result<Question> question = question_of(asked);
  if (!question) return error_json(question.error(), {});
  ResultOr<Explanation, Rejection> answer = explain::explain(*question);
  if (!answer) return error_json(answer.error().diagnostic, answer.error().source);
  return explanation_json(*answer, small_number_of(asked, "lanes", warp_size));
}

// Turns the number to this value; without one of that name nothing changes.
void turn(Question& question, const std::string& name, u64 value) {
  if (name == "@base") question.base = value;
  if (name == "@pitch") question.pitch = value;
  if (name == "@block.x") question.block.x = static_cast<u32>(value);
  if (name == "@dims" && !question.dims.empty()) question.dims.back() = value;
  for (auto& [setting, text] : question.settings)
    if (setting == name) text = std::to_string(value);
}

Json curve(const Json& asked) {
  constexpr u64 most_steps = 1024;
  Result<Question> question = question_of(asked);
  if (!question) return error_json(question.error(), {});
  const std::string name = text_of(asked, "vary");
  const u64 from = small_number_of(asked, "from"), step = std::max(1u, small_number_of(asked, "step", 1)),
            to = std::min<u64>(small_number_of(asked, "to"), from + most_steps * step);
  std::vector<const arch::Architecture*> rows;
  if (auto sms = asked.find("sms"); sms != asked.end() && sms->is_array())
    for (const Json& sm : *sms)
      if (const arch::Architecture* row = sm.is_number_unsigned() ? arch::find(sm.get<u32>()) : nullptr)
        rows.push_back(row);
  Json out{{"unit", unit_of(question->space)}, {"x", Json::array()}, {"rows", Json::array()}};
  for (const arch::Architecture* row : rows)
    out["rows"].push_back({{"sm", arch::sm(*row)}, {"points", Json::array()}});
  for (u64 x = from; x <= to; x += step) {
    Question at = *question;
    turn(at, name, x);
    out["x"].push_back(x);
    const ResultOr<explain::Walk, Rejection> walk = explain::walk(at);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Json& points = out["rows"][i]["points"];
      if (!walk || walk->faults) {
        points.push_back(nullptr);
        continue;
      }
      const arch::Counts counts = explain::count_block(*rows[i], walk->footprint, walk->manner);
      points.push_back(cost_json(at.space, counts));
      points.back().push_back(counts.instructions);
    }
  }
  return out;
}

Json gpus() {
  Json out = Json::array();
  for (const arch::Architecture* row : arch::all()) {
    Json gpu{{"sm", arch::sm(*row)}, {"generation", row->generation}, {"part", row->part.name}};
    for (const auto& [space, rule] :
         {std::pair(Space::global, &row->global), std::pair(Space::shared, &row->shared),
          std::pair(Space::constant, &row->constant), std::pair(Space::local, &row->local),
          std::pair(Space::texture, &row->texture)})
      gpu["rules"][std::string(access::name(space))] = {{"rule", rule->source.rule},
                                                        {"citation", rule->source.citation},
                                                        {"grade", arch::name(rule->source.grade)}};
    out.push_back(std::move(gpu));
  }
  return {{"gpus", std::move(out)}};
}

Json type(const std::string& text) {
  Result<explain::Type> parsed = explain::parse_type(text);
  if (!parsed) return error_json(parsed.error(), text);
  Json fields = Json::array(), parts = Json::array();
  for (const explain::Field& field : parsed->fields) {
    u64 elements = 1;
    for (u32 extent : field.dims) elements *= extent;
    fields.push_back({{"name", field.name},
                      {"type", field.type.name},
                      {"offset", field.offset},
                      {"bytes", field.type.size * elements}});
  }
  for (explain::Piece piece : explain::pieces(*parsed))
    parts.push_back({{"offset", piece.offset}, {"bytes", piece.bytes}});
  return {{"name", parsed->name},        {"size", parsed->size}, {"align", parsed->align},
          {"struct", parsed->is_struct}, {"fields", fields},     {"pieces", parts}};
}

Json pool(const Json& asked) {
  const ResultOr<explain::Pool, Rejection> answer =
      explain::pool(text_of(asked, "pool"), small_number_of(asked, "sm", 90));
  if (!answer) return error_json(answer.error().diagnostic, answer.error().source);
  return explain::json(*answer);
}

Json cases() {
  Json out = Json::array();
  for (const explain::Case& one : explain::cases())
    if (one.is_typed) out.push_back({{"group", one.group}, {"name", one.name}, {"title", one.title}});
  return {{"cases", std::move(out)}};
}

// "32,8"; what comes behind the last extent that is not 1 is left out.
std::string block_text(Dim3 block) {
  std::string out = std::to_string(block.x);
  if (block.y != 1 || block.z != 1) out += ',' + std::to_string(block.y);
  if (block.z != 1) out += ',' + std::to_string(block.z);
  return out;
}

// The accesses as somebody would type them.
Json one_case(const std::string& name) {
  const explain::Case* found = explain::find_case(name);
  if (found == nullptr || !found->is_typed)
    return error_json(diag::error("explain-case", "there is no case '" + name + "'"), {});
  Json shots = Json::array();
  for (const explain::Frame& shot : found->shots()) {
    const Question& q = shot.explanation.question;
    Json set = Json::array();
    for (const auto& [key, value] : q.settings) set.push_back(key + '=' + value);
    std::string dims;
    for (u64 extent : q.dims) dims += (dims.empty() ? "" : ",") + std::to_string(extent);
    shots.push_back({{"caption", shot.caption},
                     {"asks",
                      {{"access", q.access},
                       {"if", q.condition},
                       {"set", set},
                       {"type", q.type},
                       {"dims", dims},
                       {"base", std::to_string(q.base)},
                       {"pitch", std::to_string(q.pitch)},
                       {"space", access::name(q.space)},
                       {"op", access::name(q.kind)},
                       {"block", block_text(q.block)},
                       {"warp", std::to_string(q.warp)},
                       {"sm", std::to_string(q.sm)},
                       {"burst", std::to_string(q.section)}}}});
  }
  return {{"name", found->name}, {"title", found->title}, {"words", found->words},
          {"look", found->look}, {"vary", found->vary},   {"shots", std::move(shots)}};
}

Json answered(const Json& asked) {
  const std::string what = text_of(asked, "do", "explain");
  if (what == "explain") return explained(asked);
  if (what == "curve") return curve(asked);
  if (what == "gpus") return gpus();
  if (what == "cases") return cases();
  if (what == "case") return one_case(text_of(asked, "name"));
  if (what == "type") return type(text_of(asked, "type"));
  if (what == "pool") return pool(asked);
  if (what == "check")
    return judged(text_of(asked, "ptx"), text_of(asked, "block"), small_number_of(asked, "sm", 90));
  return error_json(diag::error("bad-question", "there is no question '" + what + "'"), {});
}

} // namespace

Json error_json(const diag::Diagnostic& d, std::string_view source) {
  for (u32 line = 1; line < d.span.line && !source.empty(); ++line)
    source.remove_prefix(std::min(source.find('\n'), source.size() - 1) + 1);
  return {{"error",
           {{"kind", d.kind},
            {"message", d.message},
            {"what", d.span.file},
            {"line", d.span.line},
            {"column", d.span.column},
            {"length", d.span.length},
            {"text", source.substr(0, source.find('\n'))},
            {"notes", d.notes},
            {"help", d.help}}}};
}

std::string answer(std::string_view question) {
  const Json asked = Json::parse(question, nullptr, false);
  const Json said = asked.is_object()
                        ? answered(asked)
                        : error_json(diag::error("bad-question", "the question is no JSON object"), {});
  return said.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace warplens::playground
