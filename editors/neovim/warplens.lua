-- WarpLens in Neovim: starts `warplens lsp` for CUDA files, and draws its hints.
--
--   dofile("/usr/share/warplens/neovim/warplens.lua").setup({ sm = "90,70" })
--
-- `setup` takes the settings of docs/do/editors.md, and `cmd`, the server's command line, where it is not in PATH. Neovim 0.10
-- and later draw hints by themselves; for earlier ones (from 0.7 on) this does, at the ends of the lines, when a file is
-- opened, saved, or left alone for a while.
local M = {}
local space = vim.api.nvim_create_namespace("warplens-hints")

local function root_of(file)
  local folder = vim.fn.fnamemodify(file, ":p:h")
  local at = folder
  while true do
    for _, mark in ipairs({ ".warplens.toml", ".warplens", ".git", "compile_commands.json" }) do
      if vim.fn.getftype(at .. "/" .. mark) ~= "" then return at end
    end
    local above = vim.fn.fnamemodify(at, ":h")
    if above == at then return folder end
    at = above
  end
end

-- Asks for the hints of the whole buffer. They stand right behind the code: before diagnostics, which are long.
function M.draw(client, buffer)
  local parameters = {
    textDocument = { uri = vim.uri_from_bufnr(buffer) },
    range = { start = { line = 0, character = 0 }, ["end"] = { line = vim.api.nvim_buf_line_count(buffer), character = 0 } },
  }
  client.request("textDocument/inlayHint", parameters, function(_, hints)
    if not hints or not vim.api.nvim_buf_is_valid(buffer) then return end
    vim.api.nvim_buf_clear_namespace(buffer, space, 0, -1)
    local by_line = {} -- what the code says, then what the last run counted
    for _, hint in ipairs(hints) do
      local line = hint.position.line
      by_line[line] = by_line[line] or {}
      table.insert(by_line[line], { "  " .. hint.label, "Comment" })
    end
    for line, words in pairs(by_line) do
      pcall(vim.api.nvim_buf_set_extmark, buffer, space, line, 0,
        { virt_text = words, virt_text_pos = "eol", hl_mode = "combine", priority = 1 })
    end
  end, buffer)
end

local function attached(client, buffer)
  if vim.lsp.inlay_hint and vim.lsp.inlay_hint.enable then
    vim.lsp.inlay_hint.enable(true, { bufnr = buffer })
    return
  end
  client.handlers["workspace/inlayHint/refresh"] = function()
    M.draw(client, buffer)
    return vim.NIL
  end
  vim.api.nvim_create_autocmd({ "BufWritePost", "CursorHold", "CursorHoldI" },
    { buffer = buffer, callback = function() M.draw(client, buffer) end })
  M.draw(client, buffer)
end

-- Starts the server for a buffer, or attaches it to the one that its project has.
local clients = {}
function M.start(buffer, cmd, settings)
  local root = root_of(vim.api.nvim_buf_get_name(buffer))
  if not clients[root] or not vim.lsp.get_client_by_id(clients[root]) then
    clients[root] = vim.lsp.start_client({
      name = "warplens", cmd = cmd, root_dir = root, init_options = settings,
      capabilities = vim.tbl_deep_extend("force", vim.lsp.protocol.make_client_capabilities(),
        { workspace = { inlayHint = { refreshSupport = true } }, textDocument = { inlayHint = {} } }),
      on_attach = attached,
    })
  end
  if clients[root] then vim.lsp.buf_attach_client(buffer, clients[root]) end
end

function M.setup(settings)
  settings = vim.deepcopy(settings or {})
  local cmd = settings.cmd or { "warplens", "lsp" }
  settings.cmd = nil -- the rest is the server's
  vim.api.nvim_create_autocmd({ "BufReadPost", "BufNewFile" }, {
    pattern = { "*.cu", "*.cuh" },
    callback = function(event) M.start(event.buf, cmd, settings) end,
  })
end

return M
