// Files of `warplens record`: lines of JSON that the recorder's library wrote inside the program (src/recorder), of one or of
// several processes, and of the two runs of the program that a recording is made of. docs/do/measure-on-a-gpu.md has the format.
#pragma once
#include "measured/measured.h"
#include <string_view>

namespace warplens::measured {

bool is_recording(std::string_view text);

// `name` is for messages. Errors: measured-malformed (with the line), measured-version, measured-empty. Lines that a program
// which was killed left unfinished are left out, with a message.
Result<Measured> read_recording(std::string_view text, const std::string& name);

} // namespace warplens::measured
