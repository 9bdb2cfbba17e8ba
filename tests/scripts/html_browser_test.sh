#!/bin/sh
# The page of `--html` in a headless Chromium: views, clicks, keys, widths, themes, hostile names, accessibility.
. "$(dirname "$0")/common.sh"

python3 -c 'import sys; sys.path.insert(0, sys.argv[1]); import browser; sys.exit(browser.find() is None)' \
  "$source_dir/tests/scripts" || skip "there is no Chromium: apt-get install chromium"

cp "$source_dir/examples/transpose.cu" .
run "$warplens" run --compiler clang --sm 90,35,70 --html transpose.html --json transpose.json transpose.cu
expect_code 0

# The same with names, paths and texts that would like to be markup.
python3 - <<'EOF'
import json
evil = '</script><img src=x onerror="window.hacked=1"><svg onload="window.hacked=1"><!--'
def spoil(value):
    if isinstance(value, dict):
        return {key: spoil(value[key]) if key not in ('name', 'file', 'source', 'short') or value[key] is None
                else (evil + str(value[key]) if isinstance(value[key], str) else spoil(value[key])) for key in value}
    return [spoil(one) for one in value] if isinstance(value, list) else value
report = json.load(open('transpose.json'))
spoiled = {key: spoil(report[key]) if key in ('launches', 'kernels') else report[key] for key in report}
spoiled['program']['command'] = [evil, evil]
spoiled['files'] = {}
json.dump(spoiled, open('hostile.json', 'w'))
EOF
run "$warplens" report --html hostile.html hostile.json
expect_code 0
grep -q 'u003c/script' hostile.html || fail "the hostile names are not in the page"

# Pages without a run.
run "$warplens" check --compiler clang --sm 90,70 --html check.html transpose.cu
expect_code 1
run "$warplens" explain --set n=1024 --html explain.html 'A[threadIdx.x*n + blockIdx.x]'
expect_code 0

# One of a thousand accesses, and pages of two runs.
python3 - <<'EOF'
import copy, json
report = json.load(open('transpose.json'))
of_one, report['launches'] = report['launches'], []
for i in range(300):
    launch = copy.deepcopy(of_one[i % len(of_one)])
    launch['kernel'], launch['name'] = launch['kernel'] + f'_{i}', launch['name'].replace('(', f'_{i}(', 1)
    launch['index'], launch['occurrences'] = i, [{'process': 0, 'first': i, 'count': 1, 'step': 1}]
    report['launches'].append(launch)
json.dump(report, open('long.json', 'w'))
EOF
run "$warplens" report --html long.html long.json
expect_code 0
run "$warplens" diff --html diff.html transpose.json long.json
expect_code 2 # no kernel in common; the page is written all the same
run "$warplens" compare --html compare.html transpose.json transpose.json
expect_code 0

python3 "$source_dir/tests/scripts/html_browser.py" "$source_dir" transpose.html hostile.html check.html explain.html long.html diff.html compare.html || fail "the page does not do what it should"
