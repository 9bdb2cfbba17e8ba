// Counters of what the memory system really did, as far as measurements show a rule. They are no part of
// Counts: those predict the theoretical counters, which are exact.
#pragma once
#include "access/access.h"

namespace warplens::arch {

// l1tex__t_sectors_pipe_lsu_mem_global_op_atom / _op_red of one global atomic or reduction on 9.0: each
// sector is visited once for every lane that wants the same address in it, so the sum over sectors of the
// most lanes on one address. Right for 365 of 366 measured patterns (one 8-byte atomic made one sector more).
u64 atomic_sector_visits(const access::WarpAccess&);

// l1tex__t_requests_pipe_tex_mem_texture of one fetch on 9.0: quads with an active lane, from a linear buffer
// groups of 8 lanes. Right for all 301 measured patterns.
u64 texture_tag_requests(const access::WarpAccess&);

// Device memory delivers whole sections: how many sections of `section_bytes` bytes the access touches.
// Section sizes are a parameter: 4 bytes in a classroom example, 32 or 64 on real parts. `section_bytes` is
// not 0.
u64 sections_touched(const access::WarpAccess&, u64 section_bytes);

} // namespace warplens::arch
