"""A program that closes every file it does not know, then fills the numbers with files of its own:
closer.py LIBRARY OWN-FILE"""

import ctypes
import os
import sys
import time

acl = ctypes.CDLL(sys.argv[1])
assert acl.aclInit(None) == 0
os.closerange(3, 1024)
own = os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
for number in range(own + 1, 600):
    os.dup2(own, number)
for _ in range(100):
    assert acl.aclrtSetDevice(0) == 0
time.sleep(0.1)
os.write(own, b"own\n")
assert acl.aclrtSetDevice(0) == 0
