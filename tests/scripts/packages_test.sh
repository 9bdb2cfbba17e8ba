# The wheel and the archives for npm install from their paths, without a network, and what they install runs: a program, an exit code,
# the module. The list of files in the wheel is right. What the tarball has, test install looks at.
. "$(dirname "$0")/common.sh"
version=$("$warplens" --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -1)
cmake --install "$WARPLENS_BUILD_DIR" --strip --prefix "$scratch/installed" >/dev/null || fail "cmake --install failed"
mkdir packages
tar -C installed --transform 's|^\./|warplens-x/|' -czf packages/warplens.tar.gz .
run sh "$source_dir/scripts/install_package.sh" packages/warplens.tar.gz "$scratch/unpacked"
expect_code 0
run env -i PATH=/nowhere HOME="$scratch" "$scratch/unpacked/bin/warplens" check "$scratch/unpacked/share/warplens/examples/transpose.ptx"
expect_code 1
expect_in stdout '32-way bank conflict'
example="$scratch/unpacked/lib/warplens/examples/transpose"
if [ -x "$example" ]; then # made where nvcc was
  run env -i PATH=/nowhere HOME="$scratch" "$scratch/unpacked/bin/warplens" run "$example"
  expect_code 0
  expect_in stderr 'transpose.cu:22'
fi
run sh "$source_dir/scripts/install_package.sh" "$source_dir/README.md" "$scratch/nothing"
expect_code 1
expect_in stderr 'no .tar.gz and no .deb'

# One file says who publishes it, and under which licence.
licence=$(json "$source_dir/packaging.json" 'r["licence"]')
for manifest in web/package.json editors/vscode/package.json; do
  expect_json "$source_dir/$manifest" 'r["license"]' "$licence"
done
python3 "$source_dir/scripts/archives.py" "$scratch/installed" "$version" packages || fail "nothing was packed"
rm -rf installed
set -- packages/*.whl
wheel=$1
python3 - "$wheel" <<'PY' || fail "the wheel's list is wrong"
import base64, hashlib, sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
(name,) = [n for n in wheel.namelist() if n.endswith("/RECORD")]
listed = dict(line.split(",", 1) for line in wheel.read(name).decode().splitlines())
assert set(listed) == set(wheel.namelist()), set(listed) ^ set(wheel.namelist())
assert any(n.endswith(".dist-info/LICENSE") for n in listed) and not any(n.endswith(".data/data/LICENSE") for n in listed)
for inner, rest in listed.items():
    if inner != name:
        content = wheel.read(inner)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        assert rest == f"sha256={digest},{len(content)}", inner
PY

tried=
if python3 -m venv environment >/dev/null 2>&1 && environment/bin/pip install -q --no-index "$wheel" >pip.log 2>&1; then
  tried="$tried pip"
  run environment/bin/warplens run --compiler clang "$source_dir/examples/matmul.cu"
  expect_code 0
  expect_in stderr '^matmul_scattered'
  run env -u WARPLENS PATH=/usr/bin:/bin environment/bin/python -c 'import warplens; print(warplens.command())
print(warplens.explain("A[threadIdx.x]").total["sectors"])'
  expect_in stdout "environment/bin/warplens$"
  expect_in stdout '^32$'
fi
if command -v npm >/dev/null; then
  tried="$tried npm"
  mkdir project
  echo '{}' >project/package.json
  (cd project && npm install --offline --no-audit --no-fund ../packages/warplens-linux-x64-*.tgz ../packages/warplens-[0-9]*.tgz) >npm.log 2>&1 ||
    fail "npm: $(tail -3 npm.log)"
  run project/node_modules/.bin/warplens run --compiler clang "$source_dir/examples/matmul.cu"
  expect_code 0
  expect_in stderr '^matmul_scattered'
  run project/node_modules/.bin/warplens check nowhere.cu
  expect_code 2
  rm -r project/node_modules/warplens-linux-x64
  run project/node_modules/.bin/warplens gpus
  expect_code 2
  expect_in stderr 'there is no package for linux on x64'
fi
[ -n "$tried" ] || skip "neither python3 -m venv nor npm is here"
echo "tried:$tried"
