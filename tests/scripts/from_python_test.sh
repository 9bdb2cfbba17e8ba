# python/warplens.py: rows agree with the JSON that they come from, errors have the command's words, sweeps have a row for each
# combination. With Debian's Python, and typed as it says.
. "$(dirname "$0")/common.sh"
export WARPLENS="$warplens" PYTHONPATH="$source_dir/python" PYTHONDONTWRITEBYTECODE=1 EXAMPLES="$source_dir/examples"
cat >try.py <<'PY'
import html.parser, json, os, xml.dom.minidom
import warplens

examples = os.environ["EXAMPLES"]
report = warplens.run(f"{examples}/transpose.cu", compiler="clang", top_lines=3)
assert report.exit_code == 0 and report.complete and "transpose_naive" in report.text, report.text
assert [k["kernel"] for k in report.kernels][0] == "transpose_naive"
assert len(report.lines) == sum(len(k["accesses"]) for k in report.data["kernels"])
worst = report.lines[0]
assert (worst["line"], worst["array"], worst["actual"], worst["ideal"], worst["unit"]) == (22, "out", 32.0, 4.0, "sectors"), worst
shared = [line for line in report.lines if line["space"] == "shared" and line["actual"] > 1]
assert shared and all(line["unit"] == "wavefronts" for line in shared)
assert abs(sum(f["share"] for f in report.findings) - 1) < 1e-6
assert report.findings[0]["places"] == ["transpose.cu:22"] and report.findings[0]["before"] == 8 * report.findings[0]["after"]
assert all(type(value) in (str, int, float, bool, list, type(None)) for rows in (report.lines, report.kernels, report.findings)
           for row in rows for value in row.values())


class Balanced(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attributes):
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag


page = Balanced()
page.feed(report._repr_html_())
assert not page.open and "transpose.cu:22" in report._repr_html_()
report.save("run.json")
again = warplens.load("run.json")
assert again.lines == report.lines
again.html("page.html")
assert open("page.html").read().startswith("<!doctype html>")

sampled = warplens.run([f"{examples}/gather.cu"], compiler="clang", budget_work=2000)
assert not sampled.complete and sampled.kernels[0]["status"] == "sampled", sampled.kernels
assert "~" in sampled._repr_html_()

found = warplens.check(f"{examples}/transpose.cu", compiler="clang")
assert any(f["line"] == 32 and f["rule"] == "bank-conflict" and f["change"] for f in found), found
open("broken.cu", "w").write("__global__ void k(int* a) { a[0] = }")
in_part = warplens.check([f"{examples}/transpose.cu", "nowhere.cu"], compiler="clang")
assert len(in_part) == len(found) and "does not exist" in in_part.not_judged[0]["message"], in_part.not_judged
assert found.data["schema"] == 1 and "bank conflict" in found._repr_html_()

access = warplens.explain("A[threadIdx.x*n]", set={"n": 1024})
assert {a["sm"] for a in access.architectures} >= {10, 90, 120}
xml.dom.minidom.parseString(access.svg)
table = warplens.sweep("A[threadIdx.x*{s}]", s=[1, 2, 4], sm=[10, 90], block=32)
assert [(r["s"], r["sm"], r["sectors"]) for r in table if r["sm"] == 90] == [(1, 90, 4), (2, 90, 8), (4, 90, 16)], table
xml.dom.minidom.parseString(table.svg("s", "sectors"))
programs = warplens.sweep([f"{examples}/transpose.cu"], sm=[35, 90], compiler="clang")
assert [r["sm"] for r in programs] == [35, 90] and all(r["exit_code"] == 0 and r["worst"] == "transpose.cu:22" for r in programs), programs

gated = warplens.run(f"{examples}/transpose.cu", compiler="clang", fail_on="excess>20%,bank-conflict")
assert gated.exit_code == 0 and not gated.passed, gated.text
assert {f["fails"] for f in gated.failed} == {"excess>20%", "bank-conflict"}, gated.failed
held = warplens.run(f"{examples}/transpose.cu", compiler="clang", fail_on="sectors-per-request>32")
assert held.passed and not held.failed and report.passed and not again.failed, held.text

failed = warplens.run(["sh", "-c", "exit 3"])
assert failed.exit_code == 3 and not failed.passed and failed.kernels == [] and failed.messages
open("null.cu", "w").write("__global__ void k(int* a) { *a = 1; }\nint main() { k<<<1, 1>>>(nullptr); cudaDeviceSynchronize(); }")
null = warplens.run("null.cu", compiler="clang")
assert null.exit_code == 0 and not null.passed and null.messages, null.text
for wrong in (lambda: warplens.run("nowhere.cu"), lambda: warplens.run(["true"], no_such_option=1), lambda: warplens.explain("A["),
              lambda: warplens.check("nowhere.cu"), lambda: warplens.check("broken.cu", compiler="clang"), lambda: warplens.load("try.py"),
              lambda: warplens.compare("run.json", "nowhere")):
    try:
        wrong()
    except warplens.Error as error:
        assert str(error), "an error without words"
    else:
        raise AssertionError("no error")
print("ok")
PY
run python3 try.py
[ "$(cat stdout)" = ok ] || fail "the module is wrong"
run python3 -c 'import ast, sys
tree = ast.parse(open(sys.argv[1]).read())
for node in ast.walk(tree):
    if isinstance(node, ast.FunctionDef) and not node.name.startswith("__"):
        assert node.returns is not None, node.name
        assert all(a.annotation or a.arg == "self" for a in node.args.args + node.args.kwonlyargs), node.name' "$source_dir/python/warplens.py"
expect_code 0
run env PATH=/usr/bin:/bin WARPLENS= python3 -c 'import warplens; warplens.command()'
expect_in stderr 'warplens is not in PATH'
