# terminal_size.py ROWS COLUMNS COMMAND…: runs it on a terminal of that size and prints what it wrote there. The exit code is
# the command's.
import sys
from pseudo_terminal import on_terminal

text, code = on_terminal(sys.argv[3:], (int(sys.argv[1]), int(sys.argv[2])))
sys.stdout.write(text.replace("\r\n", "\n"))
sys.exit(code)
