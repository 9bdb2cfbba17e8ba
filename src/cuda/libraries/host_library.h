// Libraries of the machine that the stand-ins compute with, opened when something is first asked of them: a program that calls
// none needs none.
#pragma once

namespace warplens::runtime {

struct HostLibrary {
  const char* files[2]; // tried in this order; the second may be null
  const char* package;  // of Debian, that has the first
};
extern const HostLibrary host_blas, host_lapack, host_fftw_single, host_fftw_double;

// The function, or null: then the user is told, once, what to install.
void* host_function(const HostLibrary&, const char* name);
// Was the first of its files not there?
bool is_second_choice(const HostLibrary&);

} // namespace warplens::runtime
