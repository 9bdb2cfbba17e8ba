#!/bin/sh
# `--html`: one file that runs its own script and nothing else, from `run` and from saved runs; never over an input.
. "$(dirname "$0")/common.sh"

saved="$source_dir/tests/report/data/run.json"
run "$warplens" report --html page.html "$saved"
expect_code 0
expect_in stdout '^WarpLens: ' # the text comes as ever

# What the policy names are the hashes of the one script and the one style sheet; nothing is loaded.
python3 - page.html <<'EOF' || fail "the page does not keep to its policy"
import base64, hashlib, re, sys
page = open(sys.argv[1], encoding='utf-8', newline='').read()
policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page).group(1)
assert policy.startswith("default-src 'none'; script-src 'sha256-") and 'unsafe' not in policy, policy
scripts, styles = re.findall(r'<script>(.*?)</script>', page, re.S), re.findall(r'<style>(.*?)</style>', page, re.S)
assert len(scripts) == len(styles) == 1
for text in scripts + styles:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    assert f"'sha256-{digest}'" in policy, digest
body = page[page.index('<style>'):]
assert not re.search(r'\b(src|href)=.?https?:', body), 'it loads something'
EOF

run "$warplens" report --html - "$saved"
expect_code 0
expect_in stdout '^<!doctype html>'
expect_not_in stdout '^WarpLens: '
cmp -s stdout page.html || fail "standard output and the file differ"

cp "$saved" run.json
run "$warplens" report --html run.json run.json
expect_code 2
expect_in stderr 'would write over'
cmp -s "$saved" run.json || fail "the input was written over"
run "$warplens" report --html same --json same run.json
expect_code 2
expect_in stderr '--json and --html would both write'
run "$warplens" report --html no/such/folder/page.html run.json
expect_code 2

# The page that is built in is the one that web/ makes: looked at where npm has installed what makes it.
if [ -d "$source_dir/web/node_modules" ]; then
  (cd "$source_dir/web" && node build.mjs --check) || fail "the pages are not what web/ makes: npm --prefix web run build"
else
  echo "not looked at: whether the pages are what web/ makes ('npm --prefix web ci' was not run)"
fi
