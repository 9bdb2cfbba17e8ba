// A distribution as JSON: between processes (wire.h) and in reports (report/json.h) it has the same members.
//
// What follows from a class's lanes by the rules of the architecture is not sent but found again by complete(), so that
// no two members can disagree. Lanes are one text, because they are mostly in order: see text_of_offsets().
#pragma once
#include "measure/members.h"
#include "measure/record.h"

namespace warplens::measure {

// The addresses of the active lanes, in order: numbers apart by blanks; "100+4*3" is 100 104 108 112.
std::string text_of_offsets(u32 active, const std::array<u64, warp_size>& address);
// The other way round; throws Unreadable.
void take_offsets(std::string_view text, u32 active, std::array<u64, warp_size>& address);

// Distinguishes a class that holds what was its own from one that others were added to.
bool is_uniform(const WarpClass&, const arch::Architecture& device);

template <class Json> Json counts_json(const arch::Counts& counts) {
  Json out = Json::object();
  for (const arch::CountMember& member : arch::count_members)
    if (counts.*member.value != 0) out[member.name] = counts.*member.value;
  return out;
}

// `sm`: the device. Empty for an empty distribution.
template <class Json> Json distribution_json(const Distribution& distribution, u32 sm) {
  Json out;
  const arch::Architecture* device = arch::find(sm);
  for (const WarpClass& c : distribution.classes) {
    Json one{{"warps", c.warps},
             {"active", c.example.active},
             {"offsets", text_of_offsets(c.example.active, c.example.address)}};
    if (c.example.sized) one["empty"] = c.example.empty;
    if (c.other_end) one["other_end"] = text_of_offsets(c.example.active, *c.other_end);
    if (c.example.texture_dimensions != 0) one["texture_dimensions"] = c.example.texture_dimensions;
    if (c.starts != 0 && c.starts != start_of(c.example.active, c.example.address.data()))
      one["starts"] = c.starts;
    if (device == nullptr || !is_uniform(c, *device)) {
      one["counts"] = counts_json<Json>(c.counts);
      one["ways"] = c.ways;
    }
    out["classes"].push_back(std::move(one));
  }
  if (distribution.other_warps != 0) {
    out["other_warps"] = distribution.other_warps;
    out["other"] = counts_json<Json>(distribution.other);
  }
  if (distribution.busiest_word != 0) out["busiest_word"] = distribution.busiest_word;
  if (distribution.busiest_is_bound) out["busiest_is_bound"] = true;
  if (const FirstBlock& block = distribution.first_block; block.requests != 0) {
    Json& one = out["first_block"] = {{"requests", block.requests},
                                      {"sectors", block.sectors},
                                      {"distinct_sectors", block.distinct_sectors}};
    if (block.again != 0) one["again"] = block.again;
    if (block.beside != 0) one["beside"] = block.beside;
    if (block.row_lanes != 0) {
      one["rows"] = block.rows, one["row_elements"] = block.row_elements, one["row_lanes"] = block.row_lanes;
      one["by_rows"] = counts_json<Json>(block.by_rows);
    }
    if (block.lanes != 0) one["lanes"] = block.lanes, one["words"] = block.words;
    if (block.span != 0) one["span"] = block.span;
    if (block.by_address.requests != 0) one["by_address"] = counts_json<Json>(block.by_address);
  }
  return out;
}

// What such an object says; to be completed.
Distribution distribution_of(const json&);
// Once the site is known: finds the rest of what is known of its classes, or forgets them where sm[0] is no architecture; and
// forgets counts that do not apply to the access, which no report shows and which would be added up.
void complete(SiteRecord&, const std::vector<u32>& sm, bool measured = false);

} // namespace warplens::measure
