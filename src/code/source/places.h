// Where things are, as a reader wants it: lines of files that the user wrote, with the calls that were inlined on the way
// there, and names of files that are short, tell files apart and can be clicked.
#pragma once
#include "access/site.h"
#include <map>
#include <set>
#include <string_view>

namespace warplens::source {

// Files that the user did not write, those of the toolkit and of the system: frames in them are skipped when naming the line.
bool is_library_file(std::string_view file);

// Device code in a file of its own, by its extension: .ptx, .fatbin, .cubin.
bool is_kernel_file(std::string_view file);

// Is an access a library's own, so that nobody who uses the library can change it? None of its lines is in a file of the
// user's (without lines: its function is CUB's or Thrust's); or it was inlined into one of them from CUB or Thrust, whose
// algorithms a program calls. Other headers of the toolkit wrap single instructions, such as __pipeline_memcpy_async:
// there, what is accessed is the caller's.
bool is_library_code(const access::Site&);

// The line that a site is shown at: its innermost frame in a file that the user wrote.
access::SourceFrame user_frame(const access::Site&);

// All its frames in such files, outermost first: the line above last, before it the calls that were inlined. Empty without
// line information.
std::vector<access::SourceFrame> user_frames(const access::Site&);

// How each file is called: by its path from `root` where it lies below (the working directory: what terminals and CI find
// again), else by the shortest end of its path that no other file has.
std::map<std::string, std::string> file_names(const std::set<std::string>& files, const std::string& root);

} // namespace warplens::source
