// Source positions: .file and .loc directives, interned as ir::Location with their inline chains.
//
// nvcc's form `.loc f l c, function_name label, inlined_at f l c` names its caller by position; the caller's
// own .loc stands right before it and may itself be inlined, so that chains are followed by position, latest
// first. clang's inline stacks come as DWARF instead: see dwarf.h.
#pragma once
#include "ir/module.h"
#include "ptx/cursor.h"
#include "ptx/names.h"
#include <unordered_map>

namespace warplens::ptx {

class LineTable {
public:
  LineTable(Cursor& cursor, ir::Module& module) : c_(cursor), m_(module) {}

  bool parse_file(); // after the word .file
  bool parse_loc();  // after the word .loc
  ir::LocationId current() const { return current_; }
  void begin_function();

  // The module's file for a number of .file; a number that no directive explains is an empty name.
  u32 file(u32 number);
  // The module's name; not valid for an empty one.
  ir::NameId name(const std::string& text);
  // The location's id; file and function are the module's, as file() and name() give them.
  ir::LocationId intern(const ir::Location& location);
  // Sets the functions that .loc named by a label into .debug_str, once that section is known.
  template <class TextAt> void resolve_function_names(TextAt&& text_at) {
    std::vector<ir::NameId> ids;
    for (const FunctionName& n : names_) ids.push_back(name(text_at(n.label, n.offset)));
    for (auto [location, name] : named_) m_.locations[location].function = ids[name];
  }

private:
  struct Position {
    u32 file, line, column;
    bool operator==(const Position&) const = default;
  };
  struct Key {
    Position at;
    ir::LocationId inlined_at;
    u32 name; // index into names_, or none
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Position& p) const;
    std::size_t operator()(const Key& k) const;
  };
  struct FunctionName {
    std::string_view label;
    u64 offset;
  };

  bool position(Position&);
  bool function_name(u32& name);
  ir::LocationId intern(const Key&);

  Cursor& c_;
  ir::Module& m_;
  ir::LocationId current_;
  std::unordered_map<u32, u32> files_;
  std::unordered_map<Position, ir::LocationId, Hash> latest_; // in this function
  std::unordered_map<Key, ir::LocationId, Hash> interned_;
  std::unordered_map<Key, ir::LocationId, Hash> inlined_; // the same for intern(Location)
  std::unordered_map<std::string, ir::NameId> name_ids_;
  NameMap<u32> name_index_;
  std::vector<FunctionName> names_;
  std::vector<std::pair<u32, u32>> named_; // location, name
};

} // namespace warplens::ptx
