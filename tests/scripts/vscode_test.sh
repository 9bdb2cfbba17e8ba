# The extension for VS Code, without VS Code: it starts the server that the settings name, hands on settings that the server
# reads, and starts it again when it is told to.
. "$(dirname "$0")/common.sh"
command -v node >/dev/null || skip "node is not installed (scripts/test-packages.txt)"
extension="$source_dir/editors/vscode"
mkdir -p node_modules/vscode node_modules/vscode-languageclient
cat >node_modules/vscode/index.js <<'X'
const values = { path: "/opt/warplens", sm: "70", checkWhileTyping: false };
exports.commands = { registerCommand: (name, call) => { exports.commands[name] = call; return {}; } };
exports.workspace = {
  getConfiguration: () => ({ get: (name) => values[name] }),
  onDidChangeConfiguration: (call) => { exports.changed = call; return {}; },
};
exports.window = { showErrorMessage: (text) => console.log("ERROR " + text) };
X
cat >node_modules/vscode-languageclient/node.js <<'X'
exports.LanguageClient = class {
  constructor(id, name, server, client) { this.server = server; this.client = client; }
  async start() {
    if (process.env.NO_SERVER) throw new Error("ENOENT");
    console.log("START " + this.server.command + " " + this.server.args.join(" ") + " " + JSON.stringify(this.client.initializationOptions));
  }
  async stop() { console.log("STOP"); }
  async sendNotification(method, params) { console.log("TELL " + method + " " + JSON.stringify(params)); }
};
X
cp "$extension/extension.js" extension.js
cat >use.js <<'X'
const vscode = require("vscode"), extension = require("./extension.js");
(async () => {
  await extension.activate({ subscriptions: [] });
  await vscode.changed({ affectsConfiguration: (name) => name === "warplens" });
  await vscode.commands["warplens.restart"]();
  await extension.deactivate();
})();
X
run node use.js
expect_code 0
expect_in stdout '^START /opt/warplens lsp \{"sm":"70","checkWhileTyping":false\}$'
expect_in stdout '^TELL workspace/didChangeConfiguration \{"settings":\{"warplens":\{"sm":"70"'
[ "$(grep -c '^START' stdout)" = 2 ] && [ "$(grep -c '^STOP' stdout)" = 2 ] || fail "not started again"
run env NO_SERVER=1 node use.js
expect_in stdout "^ERROR .*'/opt/warplens lsp' does not start \(ENOENT\)"

# Where npm ci was run: what is packaged is one file, which needs nothing but VS Code.
if [ -x "$extension/node_modules/.bin/esbuild" ]; then
  mkdir packaged
  cp "$extension"/*.js* packaged/
  ln -s "$extension/node_modules" packaged/node_modules
  (cd packaged && npm run -s bundle >/dev/null 2>bundle.log) || fail "the extension is not bundled: $(cat packaged/bundle.log)"
  needs=$(cd packaged && node -p "
    const main = require('./package.json').main, found = require('fs').readFileSync(main, 'utf8').matchAll(/\\brequire\\(\"([^\"]+)\"\\)/g);
    [...new Set([...found].map(m => m[1]))].filter(name => !require('module').isBuiltin(name)).join(' ')")
  [ "$needs" = vscode ] || fail "the packaged file needs $needs"
fi

# Every setting that VS Code lists is one that the server reads, but for the program's own; and the versions agree.
settings=$(node -p "Object.keys(require('$extension/package.json').contributes.configuration.properties).join(' ')")
for name in $settings; do
  name=${name#warplens.}
  [ "$name" = path ] || grep -q "(\"$name\", out\." "$source_dir/src/output/lsp/session.cpp" || fail "the server does not read '$name'"
  [ "$name" = path ] || grep -q "\"$name\"" extension.js || fail "the extension does not hand on '$name'"
done
version=$(node -p "require('$extension/package.json').version")
[ "$("$warplens" --version)" = "warplens $version" ] || fail "the extension is $version"
