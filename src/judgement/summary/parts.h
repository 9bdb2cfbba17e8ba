// Who did what, where several did: the ranks of a job (mpirun, srun), and the devices of a program (--devices).
#pragma once
#include "summary/model.h"

namespace warplens::summary {

struct DeviceSum {
  u64 launches = 0, moved_bytes = 0,
      excess_bytes = 0; // of launches that were counted; bytes of traffic (findings.h)
  bool operator==(const DeviceSum&) const = default;
};

// By device; empty where the program used one.
std::map<u32, DeviceSum> sums_by_device(const Model&);

// Fills in Kernel::ranks, Kernel::devices, and those of its lines.
void tell_parts(const Input&, std::vector<Kernel>&);

// "3 ranks, from 2.05 kB (rank 0) to 6.14 kB (rank 2)", "1 of 3 ranks (rank 1), 128 B"
std::string in_words(const Parts&, std::string_view part);

} // namespace warplens::summary
