# warplens mcp: a client of the protocol finds the worst line of an example, changes it, and sees that it is better. Answers are bounded;
# paths stay inside; what is wrong is answered, and never ends the server.
. "$(dirname "$0")/common.sh"
mkdir project
cp "$source_dir/examples/transpose.cu" "$source_dir/examples/matmul.cu" "$source_dir/examples/reduction.cu" \
  "$source_dir/tests/scripts/programs/findings.cu" project
cat >client.py <<'PY'
import json, os, subprocess, sys

server = subprocess.Popen([os.environ["WARPLENS_BINARY"], "mcp", "--folder", "project", *sys.argv[1:]], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True)
ids = iter(range(1, 1000))


def send(line):
    server.stdin.write(line + "\n")
    server.stdin.flush()


def ask(method, **params):
    number = next(ids)
    send(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
    reply = json.loads(server.stdout.readline())
    assert reply["jsonrpc"] == "2.0" and reply["id"] == number, reply
    return reply


def call(name, **arguments):
    reply = ask("tools/call", name=name, arguments=arguments)
    if "error" in reply:
        return reply["error"]
    (content,) = reply["result"]["content"]
    assert content["type"] == "text" and len(content["text"].encode()) <= 4096 + 100, len(content["text"])
    return ("failed: " if reply["result"]["isError"] else "") + content["text"]


def whole(text):
    while text.endswith("]") and "call `more` with answer" in text:
        text, _, mark = text.rpartition("[part ")
        answer, part = [int(word) for word in mark.rstrip("]").replace(",", "").split() if word.isdigit()][-2:]
        text += call("more", answer=answer, part=part)
    return text


hello = ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "test", "version": "1"})["result"]
assert hello["protocolVersion"] == "2025-06-18" and hello["serverInfo"]["name"] == "warplens" and "tools" in hello["capabilities"]
assert ask("initialize", protocolVersion="1999-01-01")["result"]["protocolVersion"] == "2025-06-18"
send(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}))
assert ask("ping")["result"] == {}
tools = {tool["name"]: tool for tool in ask("tools/list")["result"]["tools"]}
assert set(tools) == {"run", "check", "fix", "explain", "report", "diff", "more"}
assert all(tool["description"] and tool["inputSchema"]["type"] == "object" for tool in tools.values())

# The task.
before = whole(call("run", command=["transpose.cu"], save="before.json"))
assert "32-way bank" in before and "transpose.cu:32" in before and "The program printed:" in before, before
assert "no finding has a fix" in whole(call("fix", paths=["transpose.cu"]))
source = open("project/transpose.cu").read()
found = whole(call("check", paths=["transpose.cu"]))
assert "bank-conflict" in found or "bank conflict" in found, found
changed = source.replace("float block[tile][tile];", "float block[tile][tile + 1];", 1)
assert changed != source
open("project/transpose.cu", "w").write(changed)
after = whole(call("run", command=["transpose.cu"], save="after.json"))
assert "32-way bank" not in after, after
compared = whole(call("diff", before="before.json", after="after.json"))
assert "transpose.cu" in compared and "failed" not in compared, compared
assert "transpose_naive" in call("report", file="after.json")

# A change that is mechanical is made by the server itself.
fixable = open("project/findings.cu").read()
assert "@@" in whole(call("fix", paths=["findings.cu"])) and open("project/findings.cu").read() == fixable
call("fix", paths=["findings.cu"], apply=True)
assert open("project/findings.cu").read() != fixable
assert "@@" not in whole(call("fix", paths=["findings.cu"]))

# Bounded, with labels, and to the end.
lines = call("report", file="before.json", lines=True)
drawn = call("explain", access="A[threadIdx.x*n]", set={"n": 1024}, sm=90)
assert "not coalesced" in drawn and "lanes" in whole(drawn)
long = call("run", command=["reduction.cu"], lines=True)
assert "call `more`" in long and len(whole(long).encode()) > 4096 and "The program printed" in whole(long)
sampled = whole(call("run", command=["matmul.cu"], budget="60s"))
assert "9.0" in sampled

# What is wrong.
for path in ("/etc/passwd", "../client.py", "project/../../x.cu"):
    assert "lies in none of the server's folders" in call("check", paths=[path]), path
os.symlink("/etc", "project/out")
assert "lies in none" in call("report", file="out/passwd")
assert "lies in none" in call("run", command=["/bin/sh", "-c", "true"])
assert "lies in none" in call("run", command=["transpose.cu"], save="/tmp/outside.json")
assert call("nothing")["code"] == -32602
assert call("run")["code"] == -32602 and call("run", command="transpose.cu")["code"] == -32602
assert call("check", paths=["transpose.cu"], speed=1)["code"] == -32602
assert call("explain", access="--svg=x")["code"] == -32602
assert "failed: " in call("explain", access="A[") and "failed: " in call("report", file="transpose.cu")
assert "failed: " in call("more", answer=99, part=1)
assert ask("resources/list")["error"]["code"] == -32601
for line, code in (("{", -32700), ("[]", -32600), ('{"id": 1}', -32600), ('{"id": 1, "method": "tools/call", "params": 3}', -32602),
                   ('{"id": 1, "method": "initialize", "params": {"protocolVersion": 5}}', -32602),
                   ('{"id": 1, "method": "ping", "params": {"x": ' + "[" * 100000 + "]" * 100000 + "}}", -32700)):
    send(line)
    assert json.loads(server.stdout.readline())["error"]["code"] == code, line
send("")
assert ask("ping")["result"] == {}
server.stdin.write('{"jsonrpc": "2.0", "id": 7, "method": "ping"}') # the last line has no end
server.stdin.close()
assert json.loads(server.stdout.read()) == {"jsonrpc": "2.0", "id": 7, "result": {}}
assert server.wait(20) == 0
print("ok")
PY
run python3 client.py
[ "$(cat stdout)" = ok ] || fail "the conversation went wrong"

# A tool that takes too long is stopped.
cp "$source_dir/tests/scripts/programs/budget.cu" project
cat >slow.py <<'PY'
import json, os, subprocess
server = subprocess.Popen([os.environ["WARPLENS_BINARY"], "mcp", "--folder", "project", "--time-limit", "8s"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True)
server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "run", "arguments": {
    "command": ["budget.cu", "100", "200000"], "budget": "10m"}}}) + "\n")
server.stdin.flush()
reply = json.loads(server.stdout.readline())["result"]
assert reply["isError"] and "took longer than 8 s" in reply["content"][0]["text"], reply
server.stdin.close()
assert server.wait(20) == 0
PY
run python3 slow.py
expect_code 0
run "$warplens" mcp --folder nowhere
expect_code 2
expect_in stderr "'nowhere' is no folder"
