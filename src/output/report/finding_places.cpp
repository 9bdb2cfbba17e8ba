// Where a finding is: its kernels and lines, said as briefly as they can be found by. Lines that follow each other are one
// stretch; a file, or a call that was inlined, is not said again for the next line in it:
//
//    lulesh.cu:767 → lulesh.cu:375-377 (integrateStress), lulesh.cu:875-880 (hgc), 932-950 (fb) and 12 more
#include "report/sections.h"
#include "text/words.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace warplens::report {
namespace {

// Lines of a finding that follow each other in one file and kernel, reached by the same calls.
struct Stretch {
  const Line* first;
  u32 last;
  const Kernel* kernel;
};

std::vector<Stretch> stretches_of(const Page& page, const Finding& finding) {
  std::set<const Line*> lines;
  for (const Finding::Access& access : finding.accesses) lines.insert(&line_of(page, access));
  std::vector<Stretch> out;
  std::set<const Line*> done;
  for (const Finding::Access& access : finding.accesses) { // worst first
    const Line* line = &line_of(page, access);
    if (done.contains(line)) continue;
    const Kernel& kernel = kernel_of(page, access);
    auto at = [&](u32 number) -> const Line* {
      for (const Line& other : kernel.lines)
        if (other.place.line == number && other.place.file == line->place.file &&
            other.calls == line->calls && lines.contains(&other) && !done.contains(&other))
          return &other;
      return nullptr;
    };
    Stretch stretch{line, line->place.line, &kernel};
    done.insert(line);
    if (line->place.line != 0) {
      while (const Line* next = at(stretch.last + 1)) done.insert(next), ++stretch.last;
      while (const Line* before = at(stretch.first->place.line - 1))
        done.insert(before), stretch.first = before;
    }
    out.push_back(stretch);
  }
  return out;
}

} // namespace

const Kernel& kernel_of(const Page& page, const Finding::Access& access) {
  return page.model.kernels[access.kernel];
}
const Line& line_of(const Page& page, const Finding::Access& access) {
  return kernel_of(page, access).lines[access.line];
}
const AccessRow& row_of(const Page& page, const Finding::Access& access) {
  return line_of(page, access).rows[access.row];
}

std::vector<std::string> names_of(const std::vector<const Kernel*>& kernels) {
  std::vector<std::string> names;
  std::map<std::string, std::set<std::string>> labels; // by name
  for (const Kernel* kernel : kernels) {
    add_new(names, kernel->short_name);
    labels[kernel->short_name].insert(kernel->label);
  }
  for (std::string& name : names) {
    const std::set<std::string>& blocks = labels[name];
    name = blocks.size() == 1 ? clip_middle(*blocks.begin(), 50)
                              : fmt::format("{} [{} block sizes]", clip_middle(name, 40), blocks.size());
  }
  return names;
}

std::vector<std::string> kernel_names(const Page& page, const Finding& finding) {
  std::vector<const Kernel*> kernels;
  for (const Finding::Access& access : finding.accesses) kernels.push_back(&kernel_of(page, access));
  return names_of(kernels);
}

std::string places_text(const Page& page, const Finding& finding, std::size_t most) {
  struct Place {
    const Line* first;
    u32 last;
    std::vector<std::string> kernels;
  };
  std::vector<Place> places;
  std::map<std::string, std::size_t> known; // by text
  for (const Stretch& stretch : stretches_of(page, finding)) {
    std::string text = fmt::format("{}-{}", place_name(page, *stretch.first), stretch.last);
    auto [found, fresh] = known.try_emplace(text, places.size());
    if (fresh) places.push_back({stretch.first, stretch.last, {}});
    add_new(places[found->second].kernels, clip_middle(stretch.kernel->short_name, 30));
  }
  const bool several_kernels = kernel_names(page, finding).size() > 1;
  std::vector<std::string> out;
  const Line* before = nullptr;
  for (const Place& place : places) {
    const access::SourceFrame& at = place.first->place;
    bool same = before != nullptr && before->place.file == at.file && before->calls == place.first->calls &&
                at.line != 0;
    out.push_back(same ? fmt::format("{}", at.line) : place_name(page, *place.first));
    if (place.last > at.line) out.back() += fmt::format("-{}", place.last);
    if (several_kernels && place.kernels.size() == 1) out.back() += fmt::format(" ({})", place.kernels[0]);
    before = place.first;
  }
  return listed(out, most);
}

} // namespace warplens::report
