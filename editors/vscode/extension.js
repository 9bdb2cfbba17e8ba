// Starts `warplens lsp` for CUDA files and hands it the settings. Everything else is the language server's.
"use strict";
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

// What the server takes as initializationOptions; it leaves out what is empty.
function settings() {
  const all = vscode.workspace.getConfiguration("warplens");
  const names = ["sm", "block", "compiler", "compileOptions", "compileCommands", "lastRun", "measured", "checkWhileTyping", "inlayHints"];
  return Object.fromEntries(names.map((name) => [name, all.get(name)]));
}

async function start() {
  const command = vscode.workspace.getConfiguration("warplens").get("path") || "warplens";
  const selector = [
    { scheme: "file", language: "cuda-cpp" },
    { scheme: "file", language: "cuda" },
    { scheme: "file", pattern: "**/*.{cu,cuh}" },
  ];
  client = new LanguageClient("warplens", "WarpLens", { command, args: ["lsp"] },
    { documentSelector: selector, initializationOptions: settings() });
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    vscode.window.showErrorMessage(`WarpLens: '${command} lsp' does not start (${error.message}). Set warplens.path to the program.`);
  }
}

async function stop() {
  const old = client;
  client = undefined;
  if (old) await old.stop();
}

exports.activate = async (context) => {
  context.subscriptions.push(
    vscode.commands.registerCommand("warplens.restart", async () => { await stop(); await start(); }),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("warplens.path")) { await stop(); await start(); }
      else if (event.affectsConfiguration("warplens") && client)
        await client.sendNotification("workspace/didChangeConfiguration", { settings: { warplens: settings() } });
    }));
  await start();
};

exports.deactivate = stop;
