-- What a user of editors/neovim/warplens.lua sees: opens the file that the environment names, waits for hints of the last run,
-- and prints the screen, cell by cell.
local function say(...) io.stdout:write(string.format(...), "\n") end

local function screen()
  vim.cmd("redraw!")
  local lines = {}
  for row = 1, vim.o.lines do
    local cells = {}
    for column = 1, vim.o.columns do cells[column] = vim.fn.screenstring(row, column) end
    lines[row] = (table.concat(cells):gsub("%s+$", ""))
  end
  return lines
end

local function main()
  vim.o.columns, vim.o.lines, vim.wo.wrap = 240, 24, false
  dofile(os.getenv("PLUGIN")).setup({ cmd = vim.split(os.getenv("SERVER"), " "), sm = "90,70" })
  vim.cmd("edit " .. vim.fn.fnameescape(os.getenv("EDITED")))
  local drawn = vim.wait(600000, function()
    for _, line in ipairs(screen()) do if line:match("last run: ") then return true end end
  end, 100)
  if not drawn then say("TIMEOUT hints") end
  for _, line in ipairs(screen()) do say("SCREEN %s", line) end
end

local fine, why = pcall(main)
if not fine then say("FAILED %s", why) end
vim.cmd("qall!")
