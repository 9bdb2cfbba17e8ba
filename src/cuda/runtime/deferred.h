// --proofs: launches that are counted (by folding, sim/fold.h) and have not written their results,
// because nobody has asked for them yet.
//
// They wait in order, each with the allocations that it reads and writes. Before anybody sees the
// difference, those concerned run in full, without being counted again, and so do all that came before them:
//   the host, or a copy, reads what one writes           before_read; with --no-results the program ends if it is the host
//   the host, or a copy, overwrites what one touches     before_write
//   a launch runs that is not deferred                   run_all
// What nobody ever asks for is never computed: a launch is dropped when everything it writes has been freed,
// or overwritten as a whole, without having been read; or when a later launch writes the very same bytes, and no launch
// from there to that one, itself included, reads them. Memory that a waiting launch still touches is kept
// when the program frees it (held).
//
// Every function of the API that touches device memory comes through here: copy() and fill() of copy.cpp, on
// which all copies and fills of all dimensions, symbols and arrays rest; release() of memory.cpp and
// cudaFreeArray; allocate(), which makes room; launch(); cudaDeviceReset. Memory that the host sees without a
// call (managed, pinned, registered; all memory, where MPI is loaded) is never left to a deferred launch.
#pragma once
#include "abi/types.h"
#include "fold/fold.h"
#include <memory>

namespace warplens::runtime {

struct Runtime;

struct DeferredLaunch {
  std::shared_ptr<sim::Program> program; // outlives its registration
  ir::FunctionId kernel;
  Dim3 grid, block, cluster;
  u32 dynamic_shared = 0;
  std::vector<std::byte> parameters;
  struct Touch {
    fold::TouchedMemory memory;
    bool lost = false; // freed or overwritten since
  };
  std::vector<Touch> touches;
  u64 index = 0;  // of its record
  u64 writes = 0; // number of the set of bytes that it writes (repeats.h)
  std::string name{};
  u32 device = 0;
};

class Deferrals {
public:
  // Errors are those of launches that had to run.
  cudaError_t add(Runtime&, DeferredLaunch);
  cudaError_t before_read(Runtime&, u64 address, u64 size, bool for_host = false);
  cudaError_t before_write(Runtime&, u64 address, u64 size, bool every_byte);
  cudaError_t run_all(Runtime&);
  void forget(); // the device goes

  // The program frees an allocation: true when it has to be kept for now.
  bool hold(Runtime&, u64 address);
  bool holds(u64 address) const; // freed by the program, and kept
  u64 held_bytes() const;
  bool writes(sim::Memory::Range) const;
  u64 ran() const { return ran_; } // launches that somebody needed after all

private:
  template <class Concerned> cudaError_t run_through(Runtime&, Concerned&& concerned);
  cudaError_t run_first(Runtime&, std::size_t count);
  void mark_lost(u64 begin);
  void drop_unneeded();
  void drop_overwritten(Runtime&, const DeferredLaunch& by);
  void release_held(Runtime&);
  bool touched(u64 begin) const;

  std::vector<DeferredLaunch> waiting_; // in the order of launch
  std::vector<sim::Memory::Range> held_;
  u64 ran_ = 0;
};

} // namespace warplens::runtime
