# terminal_size.py ROWS COLUMNS COMMAND…: runs it on a terminal of that size and prints what it wrote there. The exit code is
# the command's.
import fcntl, os, pty, struct, sys, termios

pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", int(sys.argv[1]), int(sys.argv[2]), 0, 0))
    os.execvp(sys.argv[3], sys.argv[3:])
said = b""
while True:
    try:
        part = os.read(terminal, 65536)
    except OSError:  # the last process closed it
        break
    if not part:
        break
    said += part
_, status = os.waitpid(pid, 0)
sys.stdout.write(said.decode("utf-8", "replace").replace("\r\n", "\n"))
sys.exit(os.waitstatus_to_exitcode(status))
