// Files of profilers, up to the report.
#include "fuzz/target.h"
#include "measured/launches.h"
#include "measured/read.h"

FUZZ_TARGET(measured) {
  using namespace warplens;
  Result<measured::Measured> read = measured::read(input, "input");
  if (!read) return fuzz::require(!read.error().message.empty(), "what is refused has a message");
  fuzz::require(!read->launches.empty(), "what is read has a launch");
  (void)measured::lacking(*read);
  (void)measured::without_lines(*read);
  for (const measured::Counted& launch : measured::launches(*read))
    for (const measure::SiteRecord& site : launch.record.sites)
      fuzz::require(site.counters.size() == 1, "a site has counts for the one architecture");
}
