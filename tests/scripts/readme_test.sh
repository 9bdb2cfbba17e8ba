# Every command line of README.md and docs/look-up/explain.md that a reader can copy does what it says: lines of code blocks and
# code spans that begin with warplens, except those that name a placeholder or a file that nobody has, and what serves an editor or an agent.
. "$(dirname "$0")/common.sh"
ln -s "$source_dir/examples" examples
python3 - <<'PY'
import gzip, json
line = json.dumps({"id": 7, "space": "global", "op": "load", "bytes": 4, "mask": 2**32 - 1,
                   "addresses": [4 * i for i in range(32)]})
open("patterns.jsonl", "w").write(line + "\n")
gzip.open("patterns.jsonl.gz", "wt").write(line + "\n")
PY

cat >commands.py <<'PY'
import os, re, sys
command = r"(?:build/release/)?warplens "
for page in sys.argv[1:]:
    text = open(page).read()
    found = []
    for block in re.findall(r"^```\w*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        found += re.findall(rf"^(?:\$ )?{command}(.+)$", block, re.MULTILINE)
    prose = re.sub(r"^```\w*\n.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    found += re.findall(rf"`{command}([^`]+)`", prose)
    for line in found:
        words = line.split(" #")[0].split()
        placeholder = any(re.match(r"(PROGRAM|FILE|NAME|OLD|NEW|SHELL|A|B|lsp|mcp)\b", word) or "…" in word for word in words)
        files = [word for word in words if re.fullmatch(r"[\w./]+\.(cu|gz|jsonl|py)|\./\w+", word)]
        if not placeholder and all(os.path.exists(name) for name in files):
            print(line)
PY
python3 commands.py "$source_dir/README.md" "$source_dir/docs/look-up/explain.md" >commands
for wanted in explain replay gpus 'run examples/'; do expect_in commands "^$wanted"; done

while read -r line; do
  echo "'$warplens' $line" >command.sh
  run sh command.sh
  expect_code 0
  [ -s stdout ] || fail "no answer: warplens $line"
  expect_not_in stderr '^(error|warning)'
done <commands
