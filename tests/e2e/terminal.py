"""Runs a command on a terminal of its own, presses Ctrl-C 20 times once it has said "ready", then Return, prints what it
says. The exit code is the command's: terminal.py COMMAND ARGS..."""

import os
import pty
import sys
import time

pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
said, is_pressed = b"", False
while True:
    try:
        piece = os.read(terminal, 4096)
    except OSError:  # the last process has closed the terminal
        break
    if not piece:
        break
    said += piece
    if not is_pressed and b"ready" in said:
        is_pressed = True
        for _ in range(20):
            os.write(terminal, b"\x03")
            time.sleep(0.03)  # so that they are not all one
        os.write(terminal, b"\n")
sys.stdout.write(said.decode("utf-8", "replace"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
