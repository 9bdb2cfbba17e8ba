-- What an editor's user does, in Neovim without a window: opens the file that the environment names, looks at what is told of
-- it, changes it without saving, saves it. Each line of the output says what came; lsp_test.sh knows what should.
local file = os.getenv("EDITED")
local uri = vim.uri_from_fname(file)

local function say(...) io.stdout:write(string.format(...), "\n") end

local function count(severity)
  return #vim.diagnostic.get(0, { severity = severity })
end

-- Until the condition holds; a test fails by its output, and on a loaded machine only then.
local function wait(what, condition)
  if not vim.wait(600000, condition, 20) then say("TIMEOUT %s", what) end
end

local function request(client, method, params)
  local answer = client.request_sync(method, params, 600000, 0)
  return answer and answer.result
end

local function main()
  vim.cmd("edit " .. vim.fn.fnameescape(file))
  local id = vim.lsp.start_client({ cmd = vim.split(os.getenv("SERVER"), " "), root_dir = vim.fn.getcwd(),
                                    init_options = { sm = "90,70" } })
  vim.lsp.buf_attach_client(0, id)
  wait("diagnostics", function() return #vim.diagnostic.get(0) > 0 end)
  local client = vim.lsp.get_client_by_id(id)
  for _, one in ipairs(vim.diagnostic.get(0)) do
    say("DIAGNOSTIC %d:%d-%d %s", one.lnum + 1, one.col + 1, one.end_col + 1, (one.message:gsub("\n", " | ")))
  end
  local document = { uri = uri }
  local line = vim.diagnostic.get(0)[1].lnum
  local hover = request(client, "textDocument/hover", { textDocument = document, position = { line = line, character = 4 } })
  say("HOVER %s", (hover.contents.value:gsub("\n", " | ")))
  local all = { start = { line = 0, character = 0 }, ["end"] = { line = 1000, character = 0 } }
  local function hints(name)
    for _, hint in ipairs(request(client, "textDocument/inlayHint", { textDocument = document, range = all })) do
      say("%s %d %s", name, hint.position.line + 1, hint.label)
    end
  end
  -- What was counted is read beside the conversation, when somebody first asks.
  wait("run", function()
    local found = request(client, "textDocument/inlayHint", { textDocument = document, range = all })
    for _, hint in ipairs(found) do if hint.label:match("^" .. os.getenv("RUN")) then return true end end
    return false
  end)
  hints("HINT")
  if os.getenv("RUN") == "measured" then return end

  -- A line more above, not saved: everything moves by one.
  vim.api.nvim_buf_set_lines(0, 0, 0, false, { "// above" })
  wait("moved", function() return vim.diagnostic.get(0)[1].lnum == line + 1 end)
  say("MOVED")
  hints("MOVED-HINT")

  -- What does not compile is told, and what was found stays.
  vim.api.nvim_buf_set_lines(0, 0, 1, false, { "int broken = ;" })
  wait("broken", function() return count(vim.diagnostic.severity.INFO) > 0 and
    vim.diagnostic.get(0, { lnum = 0 })[1] ~= nil end)
  say("BROKEN %s", vim.diagnostic.get(0, { lnum = 0 })[1].message)
  say("STILL %d", count(vim.diagnostic.severity.WARN))

  -- The action that accepts, then the file as it is saved.
  vim.api.nvim_buf_set_lines(0, 0, 1, false, {})
  wait("whole", function() return vim.diagnostic.get(0, { lnum = 0 })[1] == nil and #vim.diagnostic.get(0) > 0 end)
  for _, action in ipairs(request(client, "textDocument/codeAction",
    { textDocument = document, range = all, context = { diagnostics = {} } })) do
    if action.title:match("by a comment") and action.diagnostics[1].severity == 2 then
      vim.lsp.util.apply_workspace_edit(action.edit, client.offset_encoding)
    end
  end
  vim.cmd("write")
  wait("accepted", function() return count(vim.diagnostic.severity.WARN) == 0 end)
  say("ACCEPTED %d", count(vim.diagnostic.severity.WARN))
  client.stop()
  wait("stopped", function() return client.is_stopped() end)
  say("END")
end

local fine, why = pcall(main)
if not fine then say("FAILED %s", why) end
vim.cmd("qall!")
