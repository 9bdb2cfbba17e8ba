// What each kind of site makes of an access, in the two forms that have addresses. A loop has no closed form: its turns differ in
// the lanes that are left, so that an affine access is written out there. Bulk accesses are no loads or stores of PTX, and pass.
#include "measure/as_assembled.h"
#include "base/bits.h"
#include <algorithm>
#include <bit>

namespace warplens::measure {

using access::AffineAccess;
using access::Assembled;
using access::AtomicForm;
using access::LaneBatch;
using access::Site;

namespace {

bool is_changed(const Site& site) {
  switch (site.assembled) {
  case Assembled::widened:
  case Assembled::elsewhere:
  case Assembled::one_lane:
  case Assembled::combined:
  case Assembled::cast:
  case Assembled::parameter:
  case Assembled::looped: return true;
  case Assembled::as_written: // of those behind a branch, who performs them is known to the emulator
  case Assembled::if_taken:
  case Assembled::unless_taken: break;
  }
  return false;
}

template <class Form> Form with_header(const Form& access, const Site& site) {
  Form out = access;
  if (site.assembled == Assembled::widened) out.bytes = site.bytes;
  if (site.assembled == Assembled::parameter) out.space = access::Space::constant;
  if (site.assembled == Assembled::combined) out.atomic = AtomicForm::combined;
  if (site.assembled == Assembled::cast) out.atomic = AtomicForm::cast;
  return out;
}

bool is_looped(const Site& site, access::Space space) {
  return site.assembled == Assembled::looped && space == access::Space::shared;
}

// Of all warps of an access in closed form, the lanes that perform it.
std::vector<u32> lanes_of(const AffineAccess& access) {
  if (!access.active.empty()) return {access.active.begin(), access.active.end()};
  const u32 warps = static_cast<u32>(ceil_div(access.block.count(), warp_size));
  std::vector<u32> out(access.count * warps);
  for (std::size_t w = 0; w < out.size(); ++w)
    out[w] = access::lanes_of_warp(access.block, static_cast<u32>(w % warps));
  return out;
}

// The lanes that a turn of such a loop serves: of those that want one word the last one, and of words of 8 bytes those of the
// first half-warp before those of the second.
u32 served(u32 lanes, const u64* address, u32 bytes) {
  auto last_of_each = [&](u32 some) {
    u32 out = 0;
    for_each_lane(some, [&](u32 lane) {
      u32 above = some & ~low_lanes(lane + 1), same = 0;
      for_each_lane(above, [&](u32 other) { same |= address[other] == address[lane]; });
      if (same == 0) out |= u32{1} << lane;
    });
    return out;
  };
  if (bytes < 8) return last_of_each(lanes);
  u32 out = last_of_each(lanes & 0xffff), second = last_of_each(lanes & 0xffff0000);
  for_each_lane(second, [&](u32 lane) {
    u32 same = 0;
    for_each_lane(lanes & 0xffff, [&](u32 other) { same |= address[other] == address[lane]; });
    if (same == 0) out |= u32{1} << lane;
  });
  return out;
}

} // namespace

bool AsAssembled::changes(std::span<const Site> sites) { return std::ranges::any_of(sites, is_changed); }

const Site* AsAssembled::changed(const access::AccessHeader& header) const {
  if (!header.site.valid() || header.site.value >= site_index_.size()) return nullptr;
  const u32 index = site_index_[header.site.value];
  return index < sites_.size() && is_changed(sites_[index]) ? &sites_[index] : nullptr;
}

void AsAssembled::lanes(const LaneBatch& batch) {
  const Site* site = changed(batch);
  if (site == nullptr) return next_.lanes(batch);
  if (site->assembled == Assembled::elsewhere) return;
  if (site->assembled == Assembled::one_lane) return one_lane(batch);
  if (is_looped(*site, batch.space)) return looped(batch, site->loop_load);
  LaneBatch out = with_header(batch, *site);
  if (site->begins != 0) {
    address_.assign(batch.address, batch.address + batch.active.size() * warp_size);
    for (u64& one : address_) one += static_cast<u64>(i64{site->begins});
    out.address = address_.data();
  }
  next_.lanes(out);
}

void AsAssembled::affine(const AffineAccess& access) {
  const Site* site = changed(access);
  if (site == nullptr) return next_.affine(access);
  if (site->assembled == Assembled::elsewhere) return;
  AffineAccess out = with_header(access, *site);
  out.base += static_cast<u64>(i64{site->begins});
  if (site->assembled == Assembled::one_lane) {
    active_ = lanes_of(access);
    for (u32& lanes : active_) lanes = std::bit_floor(lanes);
    out.active = active_;
  }
  if (!is_looped(*site, access.space)) return next_.affine(out);
  const std::vector<u32> all = lanes_of(access);
  const u32 warps = static_cast<u32>(all.size() / access.count);
  std::vector<u64> address(all.size() * warp_size);
  for (std::size_t w = 0; w < all.size(); ++w) {
    const access::WarpAccess warp =
        access::expand(access::cta_of(access, w / warps), static_cast<u32>(w % warps));
    std::ranges::copy(warp.address, address.begin() + static_cast<std::ptrdiff_t>(w * warp_size));
  }
  LaneBatch batch{static_cast<const access::AccessHeader&>(access)};
  batch.cta = access.cta;
  batch.active = all;
  batch.address = address.data();
  batch.cta_warps = warps;
  looped(batch, site->loop_load);
}

// An atomic that the last of each warp's lanes performs for all of them.
void AsAssembled::one_lane(LaneBatch batch) {
  active_.assign(batch.active.begin(), batch.active.end());
  for (u32& lanes : active_) lanes = std::bit_floor(lanes);
  batch.active = active_;
  next_.lanes(batch);
}

void AsAssembled::looped(LaneBatch atomic, access::SiteId load_site) {
  active_.assign(atomic.active.begin(), atomic.active.end());
  atomic.active = active_;
  atomic.atomic = AtomicForm::cast;
  LaneBatch load = atomic;
  load.site = load_site, load.kind = access::Kind::load, load.atomic = AtomicForm::plain;
  while (std::ranges::any_of(active_, [](u32 lanes) { return lanes != 0; })) {
    next_.lanes(load);
    next_.lanes(atomic);
    for (std::size_t w = 0; w < active_.size(); ++w)
      active_[w] &= ~served(active_[w], atomic.address + w * warp_size, atomic.bytes);
  }
}

} // namespace warplens::measure
