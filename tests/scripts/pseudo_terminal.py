# For tests that need a terminal: runs a command on one.
import fcntl, os, pty, struct, termios


def on_terminal(command, size=None):
    """What the command wrote there, and its exit code. `size`: rows and columns; else those that a new terminal has."""
    pid, terminal = pty.fork()
    if pid == 0:
        if size:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        os.execvp(command[0], command)
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
    return said.decode("utf-8", "replace"), os.waitstatus_to_exitcode(status)
