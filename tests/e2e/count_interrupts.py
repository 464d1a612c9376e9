"""Says "ready", counts until somebody presses Return how often it is interrupted, and ends with 33."""

import os
import select
import signal
import sys

out, into = os.pipe()
os.set_blocking(into, False)
os.set_blocking(out, False)
signal.set_wakeup_fd(into)  # a byte for each, also where two come close together
signal.signal(signal.SIGINT, lambda *_: None)
print("ready", flush=True)
while not select.select([sys.stdin], [], [], 0)[0]:  # awake, so that none is lost while another waits
    pass
try:
    count = len(os.read(out, 100))
except BlockingIOError:
    count = 0
print(f"interrupted {count} times")
raise SystemExit(33)
