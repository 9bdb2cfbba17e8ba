// A sink in front of another: accesses as PTX has them come in, and go on as machine code has them (access::Assembled). The
// emulator runs PTX, and knows nothing of this; only launches of modules that have such sites are counted through it.
//
//   widened    as wide as the site says, from as far before or behind the address as it says
//   elsewhere  not at all
//   one_lane   of the last lane of each warp
//   combined   said in the header (AtomicForm)
//   looped     in shared memory: a load and a compare-and-swap for each turn, as if no other warp came between
#pragma once
#include "access/access.h"
#include "access/site.h"
#include <vector>

namespace warplens::measure {

class AsAssembled final : public access::Sink {
public:
  // Whether an access of one of these sites is another one in machine code.
  static bool changes(std::span<const access::Site>);

  // `site_index`: by SiteId the number of the site among `sites`, which it may be past. Both outlive the sink, as `next` does.
  AsAssembled(access::Sink& next, std::span<const u32> site_index, std::span<const access::Site> sites)
      : next_(next), site_index_(site_index), sites_(sites) {}

  void lanes(const access::LaneBatch&) override;
  void affine(const access::AffineAccess&) override;
  void bulk(const access::BulkAccess& access) override { next_.bulk(access); }

private:
  const access::Site* changed(const access::AccessHeader&) const; // null: it is as PTX has it
  void one_lane(access::LaneBatch);
  void looped(access::LaneBatch, access::SiteId load);

  access::Sink& next_;
  std::span<const u32> site_index_;
  std::span<const access::Site> sites_;
  std::vector<u32> active_; // of what is handed on
  std::vector<u64> address_;
};

} // namespace warplens::measure
