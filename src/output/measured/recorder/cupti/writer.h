// The file that a recording is written to: lines of JSON, each appended whole, so that a program that crashes or is killed
// loses only what was not written yet. docs/do/measure-on-a-gpu.md has the format, src/output/measured/recording.h its reader.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace warplens::recorder {

// A string as JSON, with its quotes.
std::string quoted(std::string_view text);
std::string base64(std::string_view bytes);

// Opens `path` for appending; standard error where that fails.
void open_output(const char* path);
void write_line(std::string line);
// What could not be recorded, and why: part of the file, so that the report can say it.
void note(const std::string& text);
void note_once(const std::string& text);
inline constexpr const char* of_second_context = "launches of a second context are not counted";

} // namespace warplens::recorder
