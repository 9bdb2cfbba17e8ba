// One function after the other: its control flow once, then for each shape of block an analysis per case of a warp, a claim
// per access, and a verdict that holds for all of them.
#include "check/check.h"
#include "advise/remedy.h"
#include "check/aliasing.h"
#include "check/judge.h"
#include "check/moved.h"
#include "check/overflow.h"
#include "ir/fragment.h"
#include "ir/loaded_index.h"
#include "ir/operands.h"
#include "ir/origin.h"
#include "ptx/parse.h"
#include "source/places.h"
#include <bit>
#include <fmt/format.h>
#include <set>
#include <tuple>
#include <utility>

namespace warplens::check {
namespace {

bool reads(const ir::Function& f, ir::Special which) {
  for (const ir::Operand& o : f.operands)
    if (o.kind == ir::Operand::Kind::special && o.special == which) return true;
  return false;
}

bool has_rows(const ir::Function& f) {
  return reads(f, ir::Special::ctaid_y) || reads(f, ir::Special::tid_y);
}

u32 most_threads(const ir::Function& f) {
  constexpr u32 of_hardware = 1024;
  u64 product = 1; // which is all that .maxntid promises
  for (u32 size : f.max_threads) product *= std::max<u32>(1, size);
  return f.max_threads[0] == 0 ? of_hardware : static_cast<u32>(std::min<u64>(product, of_hardware));
}

// As the user or the kernel says; else any whose rows are whole warps.
BlockShape shape_of(const ir::Function& f, const Options& options) {
  if (options.block) return {.size = options.block};
  if (f.required_threads[0] != 0) {
    auto size = [&](u32 axis) { return std::max<u32>(1, f.required_threads[axis]); };
    return {.size = Dim3{size(0), size(1), size(2)}};
  }
  return {.size = {}, .most_threads = f.max_threads[0] == 0 ? 0 : most_threads(f)};
}

// "void k<int>(float const*, int)" → "float const*", "int"
std::vector<std::string> parameter_types(std::string_view demangled) {
  std::vector<std::string> out;
  if (!demangled.ends_with(')')) return out;
  std::size_t begin = demangled.size() - 1;
  for (u32 open = 1; open != 0 && begin > 0;) {
    const char c = demangled[--begin];
    open += c == ')' ? 1 : 0, open -= c == '(' ? 1 : 0;
  }
  u32 depth = 0;
  std::string one;
  for (const char c : demangled.substr(begin + 1, demangled.size() - begin - 2)) {
    depth += c == '<' || c == '(' ? 1 : 0, depth -= (c == '>' || c == ')') && depth != 0 ? 1 : 0;
    if (c != ',' || depth != 0) {
      one += c;
      continue;
    }
    out.push_back(std::move(one));
    one.clear();
  }
  if (!one.empty()) out.push_back(std::move(one));
  return out;
}

// How large an address says that blocks are, in threads along an axis, by constants of the code: blockIdx.x*16 + threadIdx.x,
// tile[threadIdx.y][threadIdx.x] with rows of 17, as a power of two: blocks overlap (blockIdx.x*14), and rows are padded. 0:
// nothing. Of blocks that are not known.
u32 extent_in(const Analysis& a, const Claim& claim, u32 axis) {
  if (claim.active != full_mask) return 0; // some threads' own
  const LaunchSymbol block = axis == 0 ? LaunchSymbol::block_x : LaunchSymbol::block_y;
  const LaunchSymbol thread = axis == 0 ? LaunchSymbol::warp_x : LaunchSymbol::thread_y;
  // How far the address moves with one of a launch symbol, by what that is multiplied with besides.
  auto steps = [&](LaunchSymbol which) {
    std::map<std::vector<u32>, i64> out;
    for (const symbolic::Term& t : a.pool.terms(claim.address)) {
      std::vector<u32> rest = a.pool.monomial(t.monomial);
      auto is_it = [&](u32 s) {
        const symbolic::Symbol& symbol = a.pool.symbol(s);
        return symbol.kind == symbolic::SymbolKind::launch && symbol.a == static_cast<u32>(which);
      };
      if (!t.coefficient.uniform() || std::ranges::count_if(rest, is_it) != 1) continue;
      std::erase_if(rest, is_it);
      if (axis == 0 && which == block) // blockIdx.x*blockDim.x fits rows of whole warps, and is taken for 32
        std::erase_if(rest, [&](u32 s) {
          const symbolic::Symbol& symbol = a.pool.symbol(s);
          return symbol.kind == symbolic::SymbolKind::launch &&
                 symbol.a == static_cast<u32>(LaunchSymbol::rows_of_warps);
        });
      out[rest] = t.coefficient.value;
    }
    return out;
  };
  const std::map<std::vector<u32>, i64> of_thread = steps(thread);
  std::map<std::vector<u32>, i64> of_block = steps(block);
  const bool by_rows = of_block.empty() && axis == 0 && claim.header.space == access::Space::shared;
  if (by_rows) of_block = steps(LaunchSymbol::thread_y);
  for (const auto& [rest, apart] : of_block)
    if (auto near = of_thread.find(rest); near != of_thread.end() && near->second > 0 && apart > 0) {
      const u32 extent = static_cast<u32>((axis == 0 ? i64{warp_size} : 1) * apart / near->second);
      if (extent < (axis == 0 ? 4 : 2)) continue; // in[threadIdx.x + blockIdx.x]: an offset, and no size
      return by_rows ? std::bit_floor(extent) : std::bit_ceil(extent);
    }
  return 0;
}

// Is the access in a loop, and every load that its address depends on outside of it, or of one address in all turns?
bool walks(Analysis& a, const Claim& claim, u32 block) {
  const Flow& flow = a.flow;
  std::vector<std::pair<u32, symbolic::SetId>>
      loaded; // in which blocks, and the loops that change what is read
  for (u32 b = 0; b < flow.function.blocks.size(); ++b)
    for (u32 i = flow.function.blocks[b].first;
         i < flow.function.blocks[b].first + flow.function.blocks[b].count; ++i) {
      if (!a.pool.sets.contains(claim.causes, Analysis::instruction_cause(i))) continue;
      const ir::Instruction& load = flow.function.instructions[i];
      const std::optional<u32> address = address_operand(flow.module.form(load), load, flow.function);
      loaded.emplace_back(b, address ? a.pool.facts(a.address(*address, b)).loops : a.loops_around(b));
    }
  return claim.dependence == Dependence::data && !loaded.empty() &&
         std::ranges::any_of(flow.loops_of[block], [&](u32 header) {
           const Blocks& body = flow.loop_at(header)->body;
           return std::ranges::none_of(loaded, [&](const auto& l) {
             return body[l.first] && a.pool.sets.contains(l.second, header);
           });
         });
}

// How often a thread comes to the access: in turns of the innermost loop, which may go on to elements behind those of the turn before.
advise::Turns turns_of(const Analysis& a, const Claim& claim, u32 block) {
  constexpr i64 most_at_once = 16; // elements that a turn takes, in loops that compilers unroll
  const Flow& flow = a.flow;
  const std::vector<u32>& around = flow.loops_of[block];
  if (around.empty()) return advise::Turns::one;
  const u32 innermost =
      *std::ranges::max_element(around, {}, [&](u32 header) { return flow.loops_of[header].size(); });
  for (const symbolic::Term& t : a.pool.terms(claim.address)) {
    const std::vector<u32>& factors = a.pool.monomial(t.monomial);
    if (factors.size() != 1 || !t.coefficient.uniform()) continue;
    const symbolic::Symbol& symbol = a.pool.symbol(factors[0]);
    const i64 step = std::abs(t.coefficient.value);
    if (symbol.kind == symbolic::SymbolKind::iteration && symbol.a == innermost &&
        step <= most_at_once * claim.header.bytes)
      return advise::Turns::along_row;
  }
  return advise::Turns::several;
}

// An access: an instruction, and of an asynchronous copy where it reads, then where it writes.
struct Place {
  u32 instruction = 0;
  bool written = false;
  // Past the L1 (.cg) what a copy takes does not follow from where it writes (arch/rules/async_copy.h): only what is advised for
  // other accesses to the array does.
  bool only_sibling = false;
  auto operator<=>(const Place&) const = default;
};

class Checking {
public:
  Checking(const ir::Module& module, const Options& options) : module_(module), options_(options) {
    for (const arch::Architecture* row : options.architectures)
      counters_.emplace_back(*row, options.rules.subsets);
  }

  Checked run() {
    for (const ir::Function& f : module_.functions) {
      if (f.external || f.blocks.empty()) continue;
      std::string name = ptx::demangle(f.name);
      if (name.find(options_.kernel) == name.npos) continue;
      ++(f.entry ? out_.kernels : out_.functions);
      function(f, name);
    }
    for (const auto& [name, value] : options_.arguments)
      if (!used_.contains(name)) out_.unused_arguments.push_back(name);
    return std::move(out_);
  }

private:
  void function(const ir::Function& f, const std::string& name) {
    bool accesses = false;
    for (const ir::Instruction& i : f.instructions) accesses = accesses || i.site.valid();
    if (!accesses) return;
    Flow flow(module_, f);
    Names names = names_of(f, name);
    Launches launches = launches_of(f, names);
    const BlockShape shape = shape_of(f, options_);
    launches.block = shape.size;
    steps_ = 0;
    find_arrays(f);
    std::vector<Judgement> main = in_shape(flow, shape, launches, names);
    if (!shape.size && (excludes(shape) || most_threads(f) < warp_size)) {
      launches.block = judge_smaller(main, flow, launches, names);
    } else if (!shape.size && squares_matter(f)) {
      launches.block = Dim3{16, 16, 1};
      const BlockShape square{.size = launches.block};
      std::vector<Judgement> judged = in_shape(flow, square, launches, names);
      if (!excludes(square)) add_differing(main, std::move(judged));
      launches.block.reset();
    }
    out_.steps += steps_;
    find_overflows(flow, launches, names, main);
    for (Judgement& j : main) {
      j.kernel = name;
      out_.judgements.push_back(std::move(j));
    }
  }

  // Which array each access goes to, as far as the code alone tells.
  void find_arrays(const ir::Function& f) {
    arrays_.clear();
    auto array_of = [&](const ir::Origin& origin) {
      access::Array array = ir::array_of(module_, f, origin);
      if (!array.name.empty()) array.name = ptx::variable_name(array.name);
      return array;
    };
    for (const auto& [site, origin, copied_to] : ir::origins(module_, f))
      arrays_[site] = {array_of(origin), array_of(copied_to)};
    loading_index_ = ir::loaded_indices(module_, f);
  }

  void find_overflows(const Flow& flow, const Launches& launches, const Names& names,
                      std::vector<Judgement>& all) {
    std::map<ir::SiteId, Overflow> found;
    Overflows overflows(flow, launches, names);
    for (ir::BlockId b : flow.cfg.reverse_post_order) {
      const ir::Block& block = flow.function.blocks[b.value];
      for (u32 i = block.first; i < block.first + block.count; ++i) {
        const ir::Instruction& instruction = flow.function.instructions[i];
        if (!instruction.site.valid()) continue;
        const access::ArrayKind kind = arrays_[instruction.site].first.kind;
        const bool is_large = module_.sites[instruction.site.value].space == access::Space::global &&
                              (kind == access::ArrayKind::unknown || kind == access::ArrayKind::parameter);
        const std::optional<u32> address =
            address_operand(module_.form(instruction), instruction, flow.function);
        if (!is_large || !address) continue;
        if (std::optional<Overflow> one = overflows.of(i, b.value, *address))
          found.emplace(instruction.site, *one);
      }
    }
    for (Judgement& j : all)
      if (auto one = found.find(j.site.id); one != found.end() && !is_written(j.site) && !j.other_shape)
        j.overflow = one->second;
  }

  // Where threads have a y, blocks of 16x16 are as usual; not where the code is written for rows of 32 or more.
  bool squares_matter(const ir::Function& f) const {
    return reads(f, ir::Special::tid_y) && most_threads(f) >= 256 &&
           (extents_[0].empty() || *extents_[0].begin() < warp_size);
  }

  // Is the code written for other blocks than those that were judged? Their threads leave an array, or all widths that it shows
  // are smaller than a warp.
  bool excludes(const BlockShape& shape) const {
    return overruns_ || (!shape.size && !extents_[0].empty() && *extents_[0].rbegin() < warp_size);
  }

  // In the largest of usual blocks that the code does not exclude, which is given. Where there is none, what was found may never
  // come true.
  std::optional<Dim3> judge_smaller(std::vector<Judgement>& main, Flow& flow, Launches launches,
                                    const Names& names) {
    const u32 width = extents_[0].empty() ? 0 : *extents_[0].rbegin();
    const u32 height = extents_[1].empty() ? 0 : *extents_[1].rbegin();
    const bool rows = reads(flow.function, ir::Special::tid_y);
    std::vector<Dim3> blocks;
    for (u32 x = 1; x <= 16; x *= 2)
      for (u32 y = 1; y <= (rows ? 16u : 1u); y *= 2)
        if ((width == 0 || width >= 32 || x == width) && (height == 0 || height > 16 || y == height) &&
            x * y <= most_threads(flow.function))
          blocks.push_back({x, y, 1});
    std::ranges::sort(blocks, [](const Dim3& a,
                                 const Dim3& b) { // squares before what is wide, and that before what is high
      return std::tuple(a.count(), std::min(a.x, a.y), a.x) > std::tuple(b.count(), std::min(b.x, b.y), b.x);
    });
    for (const Dim3& block : blocks) {
      launches.block = block;
      const BlockShape shape{.size = block, .by_code = true};
      out_.steps += std::exchange(steps_, 0);
      std::vector<Judgement> judged = in_shape(flow, shape, launches, names);
      if (excludes(shape)) continue;
      main = std::move(judged);
      return block;
    }
    for (Judgement& j : main) j.other_shape = true;
    return {};
  }

  // What is worse in blocks of another shape, behind its access.
  static void add_differing(std::vector<Judgement>& main, std::vector<Judgement> other) {
    std::vector<Judgement> out;
    for (std::size_t i = 0; i < main.size(); ++i) {
      out.push_back(std::move(main[i]));
      bool worse = !is_fine(other[i].verdict) && other[i].verdict != out.back().verdict &&
                   other[i].verdict != Verdict::unknown && is_fine(out.back().verdict);
      if (!worse) continue;
      out.push_back(std::move(other[i]));
      out.back().other_shape = true;
    }
    main = std::move(out);
  }

  Names names_of(const ir::Function& f, const std::string& demangled) const {
    if (!f.entry) return {};
    Names out;
    for (const ir::Instruction& i : f.instructions)
      if (options_.names && i.site.valid() && !module_.sites[i.site.value].frames.empty()) {
        out = options_.names(f.name, module_.sites[i.site.value].frames);
        break;
      }
    const std::vector<std::string> types =
        parameter_types(demangled); // without typedefs and template parameters
    if (types.size() == f.parameters.size()) out.resize(types.size());
    for (std::size_t n = 0; n < std::min(types.size(), out.size()); ++n) out[n].type = types[n];
    return out;
  }

  Launches launches_of(const ir::Function& f, const Names& names) {
    Launches out;
    out.grid = options_.grid;
    for (const auto& [name, value] : options_.arguments)
      for (u32 p = 0; p < f.parameters.size(); ++p)
        if (name == fmt::to_string(p + 1) || name == module_.variables[f.parameters[p].value].name ||
            (p < names.size() && names[p].name == name)) {
          out.arguments[{p, 0}] = value;
          used_.insert(name);
        }
    return out;
  }

  std::vector<Judgement> in_shape(Flow& flow, const BlockShape& shape, const Launches& launches,
                                  const Names& names) {
    overruns_ = false;
    if (!shape.size) extents_ = {};
    std::vector<Place> sites;
    for (ir::BlockId b : flow.cfg.reverse_post_order) {
      const ir::Block& block = flow.function.blocks[b.value];
      for (u32 i = block.first; i < block.first + block.count; ++i) {
        const ir::Instruction& instruction = flow.function.instructions[i];
        if (!instruction.site.valid()) continue;
        sites.push_back({i});
        if (const ir::Form& form = module_.form(instruction); ir::copies_asynchronously(form))
          sites.push_back({i, true, form.cache() == access::Cache::cg});
      }
    }
    std::sort(sites.begin(), sites.end());
    std::vector<u32> block_of(flow.function.instructions.size());
    for (u32 b = 0; b < flow.function.blocks.size(); ++b)
      for (u32 i = 0; i < flow.function.blocks[b].count; ++i) block_of[flow.function.blocks[b].first + i] = b;
    const auto over = [&](const std::vector<WarpCase>& cases) {
      std::vector<Judge> judges;
      for (const Place& place : sites) judges.emplace_back(site_of(flow, place), counters_);
      for (const WarpCase& warp : cases) {
        Analysis analysis(flow, warp, launches, options_.rules, steps_, options_.steps);
        analysis.run();
        Expressions expressions(analysis, names);
        for (std::size_t s = 0; s < sites.size(); ++s) {
          const u64 before = counted();
          one(analysis, expressions, sites[s], block_of[sites[s].instruction], judges[s]);
          analysis.spend(counted() - before);
        }
        steps_ = analysis.steps();
      }
      return taken(flow, sites, block_of, judges, shape, names);
    };
    std::vector<Judgement> out = over(warp_cases(shape.size, most_threads(flow.function)));
    bool open = std::any_of(out.begin(), out.end(), depends_on_bits);
    if (!shape.size || !open) return out;
    std::vector<Judgement> apart =
        over(all_warps(*shape.size)); // swizzles, mostly: bits of threadIdx, of every warp
    for (std::size_t i = 0; i < out.size(); ++i)
      if (depends_on_bits(out[i]) && apart[i].dependence < out[i].dependence) out[i] = std::move(apart[i]);
    return out;
  }

  u64 counted() const {
    u64 out = 0;
    for (const Counter& counter : counters_) out += counter.steps();
    return out;
  }

  access::Site site_of(const Flow& flow, const Place& place) const {
    access::Site out = module_.sites[flow.function.instructions[place.instruction].site.value];
    if (const auto array = arrays_.find(flow.function.instructions[place.instruction].site);
        array != arrays_.end())
      out.array = place.written ? array->second.second : array->second.first;
    if (place.written) out.space = access::Space::shared;
    return out;
  }

  // Is it what knowing threadIdx of every lane may decide?
  static bool depends_on_bits(const Judgement& j) {
    return j.verdict != Verdict::not_judged && j.verdict != Verdict::never_executed &&
           (j.dependence == Dependence::undecided || j.dependence == Dependence::choice);
  }

  void one(Analysis& analysis, const Expressions& expressions, const Place& place, u32 block, Judge& judge) {
    const u32 index = place.instruction;
    const ir::Instruction& i = analysis.flow.function.instructions[index];
    const ir::Form& form = module_.form(i);
    const access::Site& site = module_.sites[i.site.value];
    access::AccessHeader header{site.id, site.space, site.kind, site.cache, site.bytes, site.matrices, 0};
    if (const auto array = arrays_.find(i.site);
        array != arrays_.end() && array->second.first.kind == access::ArrayKind::local)
      header.space = access::Space::local; // by its name, where lanes come with different addresses of it
    if (std::optional<BulkOperands> copied = bulk_operands(form, i, analysis.flow.function)) {
      if (std::optional<Claim> one = claim_of_copy(analysis, header, index, block, *copied, counters_))
        judge.add(analysis, *one, expressions);
      else
        judge.leave({Cause::Kind::size_of_copy});
    }
    if (std::optional<Coordinates> where = coordinates(form, i))
      judge.leave(analysis, *where, index, block, expressions);
    if (ir::multiplies_in_group(form)) judge.add_group(form, i);
    if (form.opcode == ir::Opcode::wmma) {
      if (!ir::is_shape_of_fragments(form)) return judge.leave({Cause::Kind::fragments});
      for (const Claim& part : claims_of_fragment(analysis, header, index, block, counters_))
        judge.add(analysis, part, expressions);
      return;
    }
    std::optional<u32> address = address_operand(form, i, analysis.flow.function);
    if (!address) return;
    if (place.written)
      return judge.add(analysis, claim_of_written(analysis, header, index, block, *address, counters_),
                       expressions);
    Claim claimed = claim(analysis, header, index, block, *address, counters_);
    claimed.walks = walks(analysis, claimed, block);
    turns_[site.id] = turns_of(analysis, claimed, block);
    for (u32 axis = 0; axis < 2 && !analysis.known_block(); ++axis)
      if (const u32 extent = extent_in(analysis, claimed, axis)) extents_[axis].insert(extent);
    overruns_ = overruns_ || claimed.overruns;
    judge.add(analysis, claimed, expressions);
  }

  std::vector<Judgement> taken(const Flow& flow, const std::vector<Place>& sites,
                               const std::vector<u32>& block_of, std::vector<Judge>& judges,
                               const BlockShape& shape, const Names& names) {
    std::vector<Judgement> out;
    measure::LaunchRecord launch; // one warp of each access: what advice asks of the others
    launch.kernel = flow.function.name, launch.name = ptx::demangle(launch.kernel);
    launch.block = shape.size.value_or(Dim3{0, 0, 0});
    launch.grid = {0, has_rows(flow.function) ? 2u : 0u, 0}; // how many blocks, nobody knows
    std::vector<std::size_t> place(sites.size(), ~std::size_t{0});
    for (std::size_t s = 0; s < sites.size(); ++s) {
      std::optional<measure::SiteRecord> record;
      out.push_back(judges[s].take(record));
      const bool loads_index = loading_index_.all.contains(out.back().site.id);
      out.back().loads_index = loads_index;
      out.back().follows_links = loading_index_.links.contains(out.back().site.id);
      const u32 index = sites[s].instruction;
      const ir::Instruction& i = flow.function.instructions[index];
      out.back().blocks = shape;
      out.back().text = module_.name;
      if (out.back().site.frames.empty()) out.back().near = near(flow, index, block_of[index]);
      if (std::optional<u32> address = address_operand(module_.form(i), i, flow.function);
          address && !sites[s].written)
        if (std::optional<u32> store = store_that_repeats(flow, index, block_of[index], *address);
            store && may_be_restricted(flow.function, out.back().site.array))
          out.back().repeated_for =
              source::user_frame(module_.sites[flow.function.instructions[*store].site.value]);
      if (!record) continue;
      record->loads_index = loads_index;
      record->follows_links = out.back().follows_links;
      if (const access::Array& array = record->site.array; array.kind == access::ArrayKind::parameter &&
                                                           array.parameter < names.size() &&
                                                           !launch.name.ends_with(')'))
        record->declared = names[array.parameter].type;
      place[s] = launch.sites.size();
      launch.sites.push_back(std::move(*record));
    }
    const advise::Launch siblings(launch, 0, turns_);
    for (std::size_t s = 0; s < out.size(); ++s) {
      if (place[s] == ~std::size_t{0} || sites[s].only_sibling || is_fine(out[s].verdict) ||
          out[s].verdict == Verdict::unknown)
        continue;
      const advise::Context context{options_.architectures[0], 0, &siblings};
      auto advice = advise::advise(launch.sites[place[s]], context);
      if (advice.empty()) continue;
      out[s].after = left_by(advice.front(), launch.sites[place[s]], siblings, out[s]);
      if (is_written(out[s].site) && out[s].after[0] && *out[s].after[0] >= out[s].costs[0].wavefronts.most)
        continue; // what it would help is lost elsewhere in the copy
      out[s].remedy = advise::remedy(advice.front(), launch.sites[place[s]], context);
      if (out[s].dependence == Dependence::stride &&
          out[s].remedy.kind == findings::Remedy::Kind::longer_rows) {
        out[s].remedy = {}; // the rows that were padded are those of an example
        advice.front().change = fmt::format(
            "let the lanes be an odd number of elements of {} bytes apart: one more where it is even. Where "
            "the distance doubles from round to round, as in a reduction, begin with the largest instead",
            out[s].site.bytes);
        advice.front().example.clear();
      }
      out[s].advice = std::move(advice.front());
    }
    std::vector<Judgement> judged;
    for (std::size_t s = 0; s < out.size(); ++s)
      if (!sites[s].only_sibling) judged.push_back(std::move(out[s]));
    return judged;
  }

  // Of a pointer that is a member of a parameter, or was loaded, compilers do not believe __restrict__.
  bool may_be_restricted(const ir::Function& f, const access::Array& array) const {
    if (array.kind != access::ArrayKind::parameter || array.parameter >= f.parameters.size()) return true;
    constexpr u64 pointer = 8; // bytes
    return !array.indirect && module_.variables[f.parameters[array.parameter].value].size <= pointer;
  }

  // The line of an instruction before it in its block or behind it, else of the function's first that has one.
  access::SourceFrame near(const Flow& flow, u32 index, u32 block) {
    const std::vector<ir::Instruction>& all = flow.function.instructions;
    auto line_of = [&](u32 i) {
      return all[i].location.valid()
                 ? source::user_frame({.frames = access::SourceStack(module_.frames(all[i].location))})
                 : access::SourceFrame{};
    };
    const ir::Block& around = flow.function.blocks[block];
    for (u32 i = index; i-- > around.first;)
      if (access::SourceFrame at = line_of(i); at.line != 0) return at;
    for (u32 i = index + 1; i < around.first + around.count; ++i)
      if (access::SourceFrame at = line_of(i); at.line != 0) return at;
    const auto known = std::ranges::find_if(all, [](const ir::Instruction& i) { return i.location.valid(); });
    return known == all.end() ? access::SourceFrame{} : line_of(static_cast<u32>(known - all.begin()));
  }

  // Of an asynchronous copy the whole, with the destinations that the advice leaves.
  static std::optional<u64> left(const advise::Advice& advice, const Judgement& j,
                                 const arch::Architecture& row) {
    // What passes the L1 by also follows from where it writes, which the example does not have.
    if (j.site.kind == access::Kind::async_copy && !is_written(j.site) && j.site.cache == access::Cache::cg)
      return std::nullopt;
    if (!is_written(j.site)) return advise::value(advice.metric, advice.after);
    if (!j.copied || !advice.lanes) return std::nullopt;
    access::WarpAccess copy = *j.copied;
    copy.copied_to = advice.lanes->address.data();
    return arch::count(row, copy).wavefronts;
  }

  std::vector<std::optional<u64>> left_by(const advise::Advice& chosen, const measure::SiteRecord& record,
                                          const advise::Launch& siblings, const Judgement& j) const {
    std::vector<std::optional<u64>> out{left(chosen, j, *options_.architectures[0])};
    for (std::size_t a = 1; a < options_.architectures.size(); ++a) {
      const auto there = advise::advise(record, {options_.architectures[a], a, &siblings});
      const advise::Advice* same = advise::same_advice(there, chosen);
      out.push_back(same == nullptr ? std::nullopt : left(*same, j, *options_.architectures[a]));
    }
    return out;
  }

  const ir::Module& module_;
  const Options& options_;
  std::vector<Counter> counters_;
  std::set<std::string> used_;
  std::map<ir::SiteId, std::pair<access::Array, access::Array>>
      arrays_;                      // of the function; and where a copy writes
  ir::LoadedIndices loading_index_; // of the function
  // Of the function at hand, in the shape that was judged last.
  std::array<std::set<u32>, 2> extents_;      // of blocks along x and y, as addresses have them (extent_in)
  std::map<ir::SiteId, advise::Turns> turns_; // by access
  bool overruns_ = false;                     // some thread would leave an array
  u64 steps_ = 0;                             // in the function at hand (Analysis)
  Checked out_;
};

} // namespace

Checked check(const ir::Module& module, const Options& options) { return Checking(module, options).run(); }

} // namespace warplens::check
