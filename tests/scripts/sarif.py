#!/usr/bin/env python3
"""sarif.py DOCUMENT…: says where SARIF documents differ from the standard's own schema, and exits with 1 if one does; with 77
where that schema cannot be had. It comes from a package of the npm registry, and is kept in WARPLENS_BUILD_DIR."""
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

package = "@microsoft/jest-sarif@1.0.0-beta.0"
member = "package/lib/schemas/sarif-2.1.0-rtm.5.json"


def official_schema():
    kept = pathlib.Path(os.environ["WARPLENS_BUILD_DIR"]) / "sarif-2.1.0-rtm.5.json"
    if not kept.exists():
        with tempfile.TemporaryDirectory() as folder:
            try:
                done = subprocess.run(["npm", "pack", package], cwd=folder, capture_output=True, text=True, timeout=60)
                archive = pathlib.Path(folder) / done.stdout.strip().splitlines()[-1]
                text = tarfile.open(archive).extractfile(member).read()
            except (OSError, IndexError, KeyError, subprocess.TimeoutExpired, tarfile.TarError) as error:
                print(f"{package} cannot be had: {error}")
                sys.exit(77)
            kept.write_bytes(text)
    return json.loads(kept.read_bytes())


def main() -> int:
    try:
        import jsonschema
    except ImportError:
        print("there is no module jsonschema")
        return 77
    schema = official_schema()
    validator = jsonschema.validators.validator_for(schema)(schema)
    bad = 0
    for name in sys.argv[1:]:
        for error in validator.iter_errors(json.load(open(name))):
            print(f"{name}: {'/'.join(map(str, error.absolute_path))}: {error.message[:200]}")
            bad = 1
    return bad


sys.exit(main())
