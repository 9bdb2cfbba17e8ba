// Device code that the program registered, and the kernels and variables in it by their host addresses.
//
// nvcc's start-up code registers each fatbinary, then the kernels and variables that host code can name.
// Nothing is parsed until a kernel or variable of it is needed: libraries register far more than a program
// runs.
#pragma once
#include "abi/types.h"
#include "ir/loaded_index.h"
#include "os/bytes.h"
#include "sim/sim.h"
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace warplens::runtime {

using os::Bytes;

struct Runtime;

// The object in section .nvFatBinSegment that a compiler leaves for each fatbinary.
struct FatbinWrapper {
  static constexpr u32 right_magic = 0x466243b1;
  u32 magic;
  u32 version; // 2: relocatable device code, `rest` lists the units' fatbinaries
  const std::byte* data;
  const void* rest;
};
std::vector<Bytes> fatbins_of(const FatbinWrapper&);

// One registered fatbinary; with relocatable device code, all translation units' fatbinaries together. Or a library: what
// the program loads while it runs (library.h).
struct Binary {
  std::vector<Bytes> fatbins;
  std::vector<std::vector<std::byte>>
      copies;             // of a library's, to which `fatbins` refers: the program may free its own
  std::string name;       // of a library; empty: the code is the program's
  bool before_13 = false; // registered with a runtime of CUDA 11 or 12
  std::map<std::string, u32> registers; // from cubins
  std::string description;              // "compute_90 of app"
  u32 ptx_sm = 0;
  std::vector<std::string> ptxas_options;          // of the call that loads it
  u32 machine_code = 0;                            // the capability whose machine code runs; 0: PTX does
  std::string assembler;                           // what made it; empty: it came with the program
  std::map<std::string, std::string> untranslated; // kernel → why its machine code does not run
  // After load(): by device, each with its own variables. Deferred launches keep them.
  std::map<u32, std::shared_ptr<sim::Program>> programs;
  cudaError_t error = cudaSuccess; // why it could not be loaded
  std::string reason, log;         // the same in a sentence, and in full
  bool loaded = false;             // or tried to
  bool managed_ready = false;
  std::set<std::string> others; // kernels that are read one by one (device_code.h): each is a part
  std::map<std::string, std::unique_ptr<Binary>> parts; // of these, what was used, by kernel
  Binary* whole = nullptr;                              // of a part: whose variables are its own

  // Reads, chooses, parses and links the PTX and places its variables on the device in use. Says once what went wrong.
  cudaError_t load(Runtime&);
  const std::shared_ptr<sim::Program>& program(const Runtime&) const; // of the device in use
  bool has_kernel(const Runtime&, const std::string& kernel) const;
  Binary& part(const std::string& kernel); // the binary itself, where kernels are not read one by one
  void unload();

private:
  cudaError_t load_first(Runtime&);
  std::string kernel; // of a part
};

struct Kernel {
  Binary* binary = nullptr;
  std::string name;           // mangled
  u32 max_dynamic_shared = 0; // cudaFuncAttributeMaxDynamicSharedMemorySize; 0: not set
  int carveout = -1;
  bool wide_clusters = false; // cudaFuncAttributeNonPortableClusterSizeAllowed
  std::string problem;        // why resolve() failed, where it is not the binary's fault
  // After resolve():
  ir::FunctionId function;
  sim::KernelInfo info;
  std::set<std::string> reachable; // functions it may call, itself included: their sites are its sites
  std::vector<access::Site> sites; // those, in order; all of the module where it calls through pointers
  std::set<ir::SiteId> unused;     // of these, atomics whose result nobody reads
  std::set<ir::SiteId> adding_one; // of these, atomics that add the constant 1
  ir::LoadedIndices loading_index; // of these, those whose index each thread reads from memory
  bool launched = false;
  u64 work = 0;               // warp instructions that its launches took so far
  bool is_unprovable = false; // it was tried often enough (fold/fold.h)
  u32 failed_proofs = 0;
  u64 wanted = 0; // launches since --launch-skip, while --per-kernel lets them be counted

  cudaError_t resolve(Runtime&);
  Binary& code() const { return binary->part(name); }
  // By parameter: whether it can reach an address or a branch (fold/relevance.h).
  const std::vector<bool>& reaches() const;
  u32 registers() const; // per thread: ptxas's count where a cubin tells, else an estimate

private:
  mutable std::optional<std::vector<bool>> reaching;
};

struct Variable {
  Binary* binary = nullptr;
  std::string name;
  u64 size = 0;
  void** managed = nullptr; // the host pointer to fill in
};

struct Binaries {
  std::vector<std::unique_ptr<Binary>> all;
  std::unordered_map<const void*, std::unique_ptr<Kernel>> kernels; // by host function
  std::unordered_map<const void*, Variable> variables;              // by host address

  Kernel*
  kernel(const void* function_or_handle) const; // of a library, kernels are known by their handle alone
  void remove(Binary*);
  void unload(); // programs go; registrations stay
  void unload(u32 device);
  // Gives every managed variable of `binary` its address. Host code may read it before any other call.
  void place_managed(Runtime&, Binary&);
};

// Address and size of a registered variable; cudaErrorInvalidSymbol where there is none.
struct Placed {
  u64 address = 0, size = 0;
};
ResultOr<Placed, cudaError_t> find_symbol(Runtime&, const void* host_address);

} // namespace warplens::runtime
