// Which files a report may quote. Line information is data: it can name /etc/shadow or a key in the user's home, and reports
// are shown to others and stored by build servers. So a line is quoted only from a file that belongs to the program.
#pragma once
#include <string>
#include <vector>

namespace warplens::source {

class SourceRoots {
public:
  // Files belong to the program that lie below a folder where it is worked on: the current one, the program's own, and the
  // project that each is in (for programs that are built in a folder of their own): the nearest folder above with version
  // control, else the topmost one with a build file, else the folder's parent. None of these is the root folder, a system
  // folder, the home folder or one above it, or one that everybody may write to, unless it is the current or the program's
  // folder itself; the root folder is never one.
  // Of what lies below, nothing hidden (a name with a dot in front: .ssh, .env) and nothing that belongs to another user
  // than us or the owner of the folder (a project that is mounted into a container keeps its owner).
  // Below the folders of `named` any file does: the user said so.
  SourceRoots(const std::string& current, const std::string& program, const std::string& home,
              const std::vector<std::string>& named);

  // `path` is canonical.
  bool contains(const std::string& path) const;

private:
  struct Root {
    std::string folder; // canonical
    unsigned owner;
  };
  void add(const std::string& folder);
  std::vector<Root> roots_;
  std::vector<std::string> named_;
};

} // namespace warplens::source
