# terminal.py [--all] COMMAND…: runs it on a terminal of 80 columns and prints what stands on the screen when it has ended. The
# first line is "drawn" where the progress line of warplens was ever seen, else "not drawn". With --all, the lines that
# were seen follow. The exit code is the command's.
import re, sys
from pseudo_terminal import on_terminal

show_all = sys.argv[1] == "--all"
text, code = on_terminal(sys.argv[2 if show_all else 1:])
columns, screen, row, column, saved, wraps = 80, [[]], 0, 0, (0, 0), True
for token in re.findall(r"\x1b[78]|\x1b\[[0-9;?]*[A-Za-z]|[\s\S]", text):
    if token == "\n":
        row += 1
        while len(screen) <= row: screen.append([])
    elif token == "\r":
        column = 0
    elif token == "\x1b7":
        saved = row, column
    elif token == "\x1b8":
        row, column = saved
    elif re.fullmatch(r"\x1b\[\d+G", token):
        column = int(token[2:-1]) - 1
    elif token == "\x1b[K":
        del screen[row][column:]
    elif token in ("\x1b[?7l", "\x1b[?7h"):
        wraps = token.endswith("h")
    elif token.startswith("\x1b"):
        pass # colours
    else:
        if column == columns and wraps:
            row, column = row + 1, 0
            while len(screen) <= row: screen.append([])
        line, column = screen[row], min(column, columns - 1)
        line.extend(" " * (column + 1 - len(line)))
        line[column] = token
        column += 1
print("drawn" if "warplens: launch" in text else "not drawn")
if show_all:
    print("\n".join(re.findall(r"warplens: [^\x1b]*", text)))
print("\n".join("".join(line).rstrip() for line in screen))
sys.exit(code)
