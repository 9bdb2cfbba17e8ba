#!/usr/bin/env python3
"""Checks that every source file includes only rooms that its own room may include, and that every arrow is used.

The allowed arrows are the warplens_room(WING/NAME DEP...) lines of CMakeLists.txt. They must be acyclic, every folder under
a wing of src/ must be a room, and an include "room/file.h" must name a listed room and a file that is there. An arrow that no
file of the room needs is a permission that nobody asked for: it goes. The preload and cli folders add their own
targets; their arrows are listed in the same place.

Folders inside a room do not include each other either.

Layers are what #include lines say, no more: all rooms share one include directory and link publicly, so that a room
can use what another room's header brings along, and the linker will not mind.
"""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
source = root / "src"
# Rooms that say which of their headers are for others; these bring along what else they need.
interfaces = {"sim": {"sim/sim.h", "sim/grid/observed_launch.h", "sim/memory/tensor_map.h", "sim/children.h"}}


def rooms() -> dict[str, set[str]]:
    text = (root / "CMakeLists.txt").read_text()
    found = re.findall(r"^warplens_room\(\w+/([^)]*)\)", text, re.MULTILINE)
    return {words[0]: set(words[1:]) for words in (line.split() for line in found)}


def file_of(included: str) -> pathlib.Path | None:
    return next((wing / included for wing in source.iterdir() if (wing / included).exists()), None)


def problems_of_graph(graph: dict[str, set[str]]) -> list[str]:
    problems = []
    seen: set[str] = set()
    for room, allowed in graph.items():  # a room may only name rooms above it in the file, so there is no cycle
        problems += [f"CMakeLists.txt: room '{room}' lists '{other}', which is not above it" for other in sorted(allowed - seen)]
        seen.add(room)
    folders = {path.name for wing in source.iterdir() if wing.is_dir() for path in wing.iterdir() if path.is_dir()}
    problems += [f"src/{name}: no warplens_room({name} …) line in CMakeLists.txt" for name in sorted(folders - seen)]
    return problems


def folder_of(place: str) -> str:
    """Of "room/folder/file.h" the folder; of "room/file.h" the room."""
    return place.rpartition("/")[0]


def problems_of_folders(arrows: set[tuple[str, str]]) -> list[str]:
    """No two folders of a room include each other."""
    knots = {tuple(sorted(pair)) for pair in arrows if pair[::-1] in arrows}
    return [f"src: {a} and {b} include each other" for a, b in sorted(knots)]


def problems_of_file(path: pathlib.Path, graph: dict[str, set[str]], used: set[tuple[str, str]],
                     inside: set[tuple[str, str]]) -> list[str]:
    """Adds to `used` the arrows that the file's includes go along, and to `inside` those between folders of its room."""
    room = path.relative_to(source).parts[1]
    problems = []
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        if not match:
            continue
        included = match.group(1)
        place = f"{path.relative_to(root)}:{number}"
        target = included.split("/")[0]
        if target == "cuda" and (root / "src/cuda" / room).exists() and (root / included).exists():
            continue  # the types of the CUDA Runtime API, which the headers for clang define
        used.add((room, target))
        here = folder_of("/".join(path.relative_to(source).parts[1:]))
        if target == room and folder_of(included) != here:
            inside.add((here, folder_of(included)))
        if "/" not in included or target not in graph:
            if not file_of(included) and not (path.parent / included).exists():
                problems.append(f'{place}: "{included}" is no room\'s file')
        elif target != room and target not in graph.get(room, set()):
            problems.append(f"{place}: room '{room}' may not include '{target}'")
        elif target != room and included not in interfaces.get(target, {included}):
            problems.append(f'{place}: "{included}" is not for other rooms; room \'{target}\' has {", ".join(sorted(interfaces[target]))}')
        elif not file_of(included):
            problems.append(f'{place}: "{included}" does not exist')
    return problems


def main() -> int:
    graph = rooms()
    problems = problems_of_graph(graph)
    files = [p for pattern in ("*.h", "*.cpp", "*.inc", "*.def") for p in source.rglob(pattern)]
    used: set[tuple[str, str]] = set()
    inside: set[tuple[str, str]] = set()
    for path in sorted(files):
        problems += problems_of_file(path, graph, used, inside)
    problems += problems_of_folders(inside)
    arrows = [(room, other) for room, allowed in graph.items() for other in sorted(allowed)]
    problems += [f"CMakeLists.txt: room '{room}' lists '{other}', which none of its files includes"
                 for room, other in arrows if (room, other) not in used]
    print("\n".join(problems) if problems else f"{len(files)} files, {len(graph)} rooms: every include goes down an arrow, every arrow is used")
    return 1 if problems else 0


sys.exit(main())
