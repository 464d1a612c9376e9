"""Collection from within a Python program that uses an Ascend device.

    import model_inspector_collect as collect

    model = torch.compile(model, backend=npu_backend)
    model(batch)                # compiles
    collect.snapshot_graph()
    model(batch)
    torch.npu.synchronize()
    collect.runtime()

The program has to run under `inspector-cli start ... -- python3 program.py`, or with libmi_hook.so in LD_PRELOAD.
Without it every function does nothing and returns False: a program may keep the calls. No build step, nothing
beside the standard library. What the functions do stands in include/model-inspector/collect.h.
"""

import ctypes

GRAPH, RUNTIME, WEIGHTS = 1, 2, 4


def _function(name):
    """The function of the hook that is in this process; None where there is none."""
    try:
        return getattr(ctypes.CDLL(None), name)
    except (AttributeError, OSError):
        return None


def _call(name, *arguments):
    function = _function(name)
    return function is not None and function(*arguments) == 0


def is_there():
    """Whether the hook is in this process."""
    return _function("mi_collect_start") is not None


def start(folder, what=GRAPH | RUNTIME):
    """Begins a capture; not needed under `inspector-cli start`. For device times: before AscendCL is initialised."""
    return _call("mi_collect_start", ctypes.c_char_p(str(folder).encode("utf-8", "surrogateescape")), ctypes.c_uint(what))


def snapshot_graph():
    """The graph that was compiled is complete."""
    return _call("mi_collect_snapshot_graph")


def runtime():
    """The batch or step that counts has ended."""
    return _call("mi_collect_runtime")


def stop():
    """Nothing more is collected."""
    return _call("mi_collect_stop")
