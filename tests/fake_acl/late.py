"""A program that opens the runtime by name when it runs: late.py LIBRARY MODEL [OWN-CAPTURE-FOLDER]"""

import ctypes
import sys

import model_inspector_collect as collect

if len(sys.argv) > 3:
    assert collect.start(sys.argv[3]), "no capture"
assert collect.is_there()
acl = ctypes.CDLL(sys.argv[1])
model, stream = ctypes.c_uint32(), ctypes.c_void_p()
assert acl.aclInit(None) == 0
assert acl.aclrtSetDevice(0) == 0
assert acl.aclmdlLoadFromFile(sys.argv[2].encode(), ctypes.byref(model)) == 0
assert collect.snapshot_graph()
assert acl.aclrtCreateStream(ctypes.byref(stream)) == 0
for _ in range(3):
    assert acl.aclmdlExecute(model, None, None) == 0
for _ in range(2):
    assert acl.aclnnRoll(None, ctypes.c_uint64(0), None, stream) == 0
assert acl.aclrtSynchronizeStream(stream) == 0
assert acl.aclnnCalculateRollSize(*(ctypes.c_int64(n) for n in (1, 2, 3, 4, 5))) == 54321
assert not hasattr(acl, "aclrtNoSuchFunction")
assert collect.runtime()
if len(sys.argv) > 3:
    assert collect.stop()
assert acl.aclFinalize() == 0
print("late")
