"""Holds a process still at an exact point, which signals cannot do: what is traced is not woken by SIGCONT."""
import ctypes, os, signal

SEIZE, INTERRUPT, CONT, DETACH, GETEVENTMSG = 0x4206, 0x4207, 7, 17, 0x4201
TRACE_VFORK, TRACE_EXEC = 1 << 2, 1 << 4
EVENT_VFORK, EVENT_EXEC, EVENT_STOP = 2, 4, 128
ALL = 0x40000000  # __WALL

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def ptrace(request, pid, data=0):
    if libc.ptrace(request, pid, None, data) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def stop_at(pid, event):
    """Waits until the process has stopped at this event."""
    while True:
        _, status = os.waitpid(pid, ALL)
        if not os.WIFSTOPPED(status):
            raise AssertionError(f"{pid} has ended: {status:#x}")
        if status >> 16 == event:
            return
        ptrace(CONT, pid, 0 if status >> 16 else os.WSTOPSIG(status))


def hold(pid):
    """It does nothing from now on."""
    ptrace(SEIZE, pid)
    ptrace(INTERRUPT, pid)
    stop_at(pid, EVENT_STOP)


def watch(pid):
    """It goes on, until it has made a child or executes a program."""
    ptrace(SEIZE, pid, TRACE_VFORK | TRACE_EXEC)


def child_of(pid):
    """The child that it has just made."""
    child = ctypes.c_ulong()
    ptrace(GETEVENTMSG, pid, ctypes.addressof(child))
    return child.value


def go_on(pid):
    ptrace(CONT, pid)


def let_go(pid):
    """It goes on, and is not watched any more."""
    ptrace(DETACH, pid)


def kill(pid):
    os.kill(pid, signal.SIGKILL)
    while not os.WIFSIGNALED(os.waitpid(pid, ALL)[1]):
        pass
