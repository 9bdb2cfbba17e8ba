// The site of an instruction that accesses memory: what reports call it, and what it moves.
#include "ir/added_operands.h"
#include "ir/matrix.h"
#include "ptx/parser.h"
#include <algorithm>

namespace warplens::ptx {

using ir::Opcode;

namespace {

// The space that an access names: a generic one most often goes to global memory, from where an asynchronous
// copy reads.
access::Space space_of(const ir::Form& form) {
  switch (form.opcode) {
  case Opcode::tex:
  case Opcode::tld4: return access::Space::texture;
  case Opcode::suld:
  case Opcode::sust:
  case Opcode::sured: return access::Space::surface;
  case Opcode::ldmatrix:
  case Opcode::stmatrix:
  case Opcode::wgmma: return access::Space::shared;
  case Opcode::cp: return access::Space::global;
  default: break;
  }
  switch (form.space()) {
  case ir::StateSpace::shared: return access::Space::shared;
  case ir::StateSpace::local: return access::Space::local;
  case ir::StateSpace::constant:
  case ir::StateSpace::param: return access::Space::constant;
  default: return access::Space::global;
  }
}

access::ElementType element_of(const ir::Form& form) {
  if (form.type() == ir::Type::none) return access::ElementType::bits;
  switch (ir::type_class(form.type())) {
  case ir::TypeClass::unsigned_integer: return access::ElementType::unsigned_integer;
  case ir::TypeClass::signed_integer: return access::ElementType::signed_integer;
  case ir::TypeClass::floating: return access::ElementType::floating;
  default: return access::ElementType::bits;
  }
}

} // namespace

// A kernel's parameters lie in constant memory. At a known place they are operands of instructions, and no access; with an index
// that only the run knows they are loads, a request for each different address of a warp (H200, 26 November 2026). A register
// that holds a parameter's address, with a number added or not, is a known place; compilers give such a register one value.
bool Parser::is_indexed(const ir::Instruction& i, const ir::Form& form) const {
  const ir::Function& function = m_.functions[current_.value];
  if (!function.entry || form.opcode != Opcode::ld) return false;
  const ir::Operand& address = function.sources(i)[0];
  return address.reg.valid() && !address.variable.valid() &&
         !parameter_addresses_.contains(address.reg.value);
}

void Parser::note_parameter_address(const ir::Instruction& i, const ir::Form& form) {
  if (ir::summands(form.opcode).empty() || i.destinations != 1 || i.sources == 0) return;
  const ir::Function& function = m_.functions[current_.value];
  const ir::Operand& to = function.destinations(i)[0];
  const std::span<const ir::Operand> from = function.sources(i);
  const bool named =
      from[0].variable.valid() && m_.variables[from[0].variable.value].space == ir::StateSpace::param;
  const bool known = named || (from[0].reg.valid() && parameter_addresses_.contains(from[0].reg.value));
  if (to.reg.valid() && known && ir::moved(form.opcode, from))
    parameter_addresses_.insert(to.reg.value);
  else if (to.reg.valid())
    parameter_addresses_.erase(to.reg.value);
}

void Parser::make_site(ir::Instruction& i, const ir::Form& form) {
  access::Kind kind;
  switch (form.opcode) {
  case Opcode::ld:
  case Opcode::ldu:
  case Opcode::tex:
  case Opcode::tld4:
  case Opcode::suld: kind = access::Kind::load; break;
  case Opcode::st:
  case Opcode::sust: kind = access::Kind::store; break;
  case Opcode::atom: kind = access::Kind::atomic; break;
  case Opcode::red:
  case Opcode::sured: kind = access::Kind::reduction; break;
  case Opcode::ldmatrix: kind = access::Kind::ldmatrix; break;
  case Opcode::stmatrix: kind = access::Kind::store; break;
  case Opcode::wmma:
    if (form.has(ir::Modifier::mma) || !form.supported) return;
    kind = form.has(ir::Modifier::store)      ? access::Kind::store
           : ir::fragment_matrices(form) != 0 ? access::Kind::ldmatrix
                                              : access::Kind::load;
    break;
  case Opcode::wgmma: // what it reads is counted by its own path: BulkAccess
    if (!ir::multiplies_in_group(form)) return;
    kind = access::Kind::load;
    break;
  case Opcode::cp:
    if (!ir::copies_asynchronously(form) && !ir::moves_global_in_bulk(form)) return;
    kind = access::Kind::async_copy;
    break;
  default: return;
  }
  if (form.family() == ir::Family::memory && form.space() == ir::StateSpace::param && !is_indexed(i, form))
    return;
  access::Site& site = m_.sites.emplace_back();
  site.id = access::SiteId(m_.sites.size() - 1);
  site.function = m_.functions[current_.value].name;
  site.ptx_line = i.ptx_line;
  site.opcode = form.text;
  site.space = space_of(form);
  site.kind = kind;
  site.cache = form.cache();
  site.vector = form.vector;
  site.element = element_of(form);
  site.bytes = static_cast<u8>(std::min<u32>(ir::bytes(form.type()) * std::max<u8>(form.vector, 1), 255));
  const bool stores_matrices = form.opcode == Opcode::stmatrix;
  if (kind == access::Kind::ldmatrix || stores_matrices) site.bytes = 16, site.vector = 1;
  if (form.opcode == Opcode::ldmatrix || stores_matrices) site.matrices = form.vector;
  if (form.opcode == Opcode::wmma) {
    site.bytes = static_cast<u8>(ir::fragment_bytes(form));
    site.matrices = static_cast<u8>(ir::fragment_matrices(form));
  }
  if (form.opcode == Opcode::wgmma) site.bytes = 16, site.vector = 1;   // a piece of a line
  if (ir::moves_global_in_bulk(form)) site.bytes = 16, site.vector = 1; // the unit: an operand says how many
  if (ir::copies_asynchronously(form))
    site.bytes =
        static_cast<u8>(m_.functions[current_.value].sources(i)[2].value); // 4, 8 or 16, if it is right
  i.site = site.id;
}

} // namespace warplens::ptx
