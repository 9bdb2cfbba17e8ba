// Counting for programs: checks what comes from outside, then the rules.
#include "access/impossible.h"
#include "api/convert.h"
#include "arch/count.h"
#include <fmt/format.h>
#include <warplens/access.h>

namespace warplens {
namespace {

access::WarpAccess to_internal(const Access& access) {
  access::WarpAccess out;
  out.space = access.space;
  out.kind = access.kind;
  out.cache = access.cache;
  out.bytes = access.bytes;
  out.matrices = access.matrices;
  out.active = access.active;
  out.address = access.address;
  return out;
}

Error impossible(const std::string& why, std::size_t index, std::size_t accesses) {
  std::string which = accesses == 1 ? "the access" : fmt::format("access {}", index);
  return api::error_of(diag::error("impossible-access", fmt::format("{}: {}", which, why), {},
                                   "see include/warplens/access.h"));
}

} // namespace

std::vector<int> architectures() {
  std::vector<int> out;
  for (const arch::Architecture* row : arch::all()) out.push_back(static_cast<int>(arch::sm(*row)));
  return out;
}

Expected<Counts> count(int sm, const Access& access) { return count(sm, std::span(&access, 1)); }

Expected<Counts> count(int sm, std::span<const Access> accesses) {
  auto row = api::architecture(sm);
  if (!row) return api::error_of(row.error());
  Counts sum;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    access::WarpAccess access = to_internal(accesses[i]);
    if (std::string why = access::impossible(access); !why.empty())
      return impossible(why, i, accesses.size());
    if (access.active != 0) sum += arch::count(**row, access);
  }
  return sum;
}

} // namespace warplens
