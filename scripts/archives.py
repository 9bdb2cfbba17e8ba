#!/usr/bin/env python3
"""Packs an installation for Python and for npm, as files that both install from a path.

    scripts/archives.py INSTALLATION VERSION FOLDER     # what `cmake --install --prefix INSTALLATION` made

The wheel is a zip of files with a list of them (packaging.python.org, "Binary distribution format"). `pip install` puts warplens.py where
Python finds it, and bin/, lib/ and share/ below the environment's root, so that `warplens` is in PATH there.

For npm there are two archives: the files for Linux on x86-64, and a launcher of a few lines that names them as optional, so that npm
takes what fits the machine. Nothing runs while they are installed.

Neither knows links: a library comes under the name that is asked for. What programs in C++ need is left out.
"""
import base64
import hashlib
import io
import json
import pathlib
import subprocess
import sys
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
OWN = json.loads((ROOT / "packaging.json").read_text()) # who publishes it
LICENCE_TEXT = (ROOT / "LICENSE").read_bytes()
SUMMARY, LICENSE = OWN["summary"], OWN["licence"]
LAUNCHER = """#!/usr/bin/env node
// Starts the warplens of the package for this platform.
const { spawnSync } = require("node:child_process");
const path = require("node:path");
let root;
try {
  root = path.dirname(require.resolve("warplens-linux-x64/package.json"));
} catch {
  console.error(`warplens: there is no package for ${process.platform} on ${process.arch}; it runs on Linux on x86-64`);
  process.exit(2);
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {}); // warplens answers them with its report
const { status, signal } = spawnSync(path.join(root, "bin", "warplens"), process.argv.slice(2), { stdio: "inherit" });
process.exit(status ?? 128 + require("node:os").constants.signals[signal]);
"""

# As new a glibc as the binary asks for (PEP 600).
TAG = "py3-none-manylinux_{}_x86_64"


def newest_glibc(files):
    versions = [(2, 17)]
    for file in files:
        if file.read_bytes()[:4] != b"\x7fELF":
            continue
        for word in subprocess.run(["objdump", "-T", str(file)], text=True, capture_output=True).stdout.split():
            if word.startswith("(GLIBC_2.") or word.startswith("GLIBC_2."):
                versions.append(tuple(int(part) for part in word.strip("()")[6:].split(".")[:2]))
    return max(versions)


def wanted(root, path):
    inner = path.relative_to(root).as_posix()
    if inner.startswith(("include/", "lib/cmake/", "lib/libwarplens", "lib/warplens/libre2", "share/warplens/python/")):
        return False
    is_library = inner.startswith("lib/warplens/") and ".so." in inner and not inner.startswith("lib/warplens/libcu")
    return not is_library or inner.count(".") == 2  # libre2.so.9, not libre2.so.9.0.0


def write_wheel(root, files, version, folder):
    tag = TAG.format("_".join(map(str, newest_glibc(files))))
    info, record = f"warplens-{version}.dist-info", []
    with zipfile.ZipFile(folder / f"warplens-{version}-{tag}.whl", "w") as wheel:

        def add(inner, content, mode=0o644):
            entry = zipfile.ZipInfo(inner, (2026, 1, 1, 0, 0, 0))
            entry.external_attr, entry.compress_type = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{inner},sha256={digest},{len(content)}")

        add("warplens.py", (root / "share/warplens/python/warplens.py").read_bytes())
        for path in files:
            add(f"warplens-{version}.data/data/{path.relative_to(root).as_posix()}", path.read_bytes(), path.stat().st_mode & 0o777)
        lines = {"Metadata-Version": "2.1", "Name": "warplens", "Version": version, "License": LICENSE, "Author": OWN["owner"],
                 "Author-email": OWN["address"], "Home-page": OWN["repository"], "Summary": SUMMARY, "Requires-Python": ">=3.8"}
        add(f"{info}/METADATA", "".join(f"{name}: {value}\n" for name, value in lines.items() if value).encode())
        add(f"{info}/LICENSE", LICENCE_TEXT)
        add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: warplens\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
        add(f"{info}/RECORD", ("\n".join(record) + f"\n{info}/RECORD,,\n").encode())


def write_npm(name, version, folder, files, **more):
    """`files`: content and mode by path."""
    manifest = {"name": name, "version": version, "description": SUMMARY, "license": LICENSE,
                "author": " ".join(filter(None, [OWN["owner"], OWN["address"] and f"<{OWN['address']}>"])), **more}
    if OWN["repository"]:
        manifest["repository"] = OWN["repository"]
    with tarfile.open(folder / f"{name}-{version}.tgz", "w:gz") as archive:
        own = {"package.json": (json.dumps(manifest, indent=1).encode(), 0o644), "LICENSE": (LICENCE_TEXT, 0o644)}
        for inner, (content, mode) in {**own, **files}.items():
            entry = tarfile.TarInfo(f"package/{inner}")
            entry.size, entry.mode = len(content), mode
            archive.addfile(entry, io.BytesIO(content))


def main():
    root, version, folder = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    files = sorted(path for path in root.rglob("*") if path.is_file() and wanted(root, path))
    write_wheel(root, files, version, folder)
    write_npm("warplens-linux-x64", version, folder, os=["linux"], cpu=["x64"],
              files={path.relative_to(root).as_posix(): (path.read_bytes(), path.stat().st_mode & 0o777) for path in files})
    write_npm("warplens", version, folder, {"warplens.js": (LAUNCHER.encode(), 0o755)}, bin={"warplens": "warplens.js"},
              optionalDependencies={"warplens-linux-x64": version})


main()
