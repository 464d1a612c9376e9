"""The generator of test cases, run inside of the calling process: that of an interpreter of its own takes longer than
most cases. PYTHONPATH names the folder that holds it."""
import contextlib
import gc
import io

from casegen import cli, ge_dump


def run(*args):
    """(exit status, what it printed) of one command line."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        status = cli.main([str(a) for a in args])
    gc.enable()  # it switches this off, and is used to ending soon
    gc.collect()
    return status, out.getvalue()


def without_dumps():
    """Writes no dumps of compile stages from now on, for tests that read none."""
    dumper = ge_dump.StageDumper
    ge_dump.StageDumper = lambda folder, seed, stages, *more: dumper(folder, seed, "none", *more)
