"""Rank 1 fails in a given way before a collective in which the other ranks wait."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

import oarlock as paddle
import oarlock.distributed as dist

dist.init_parallel_env()
how, where = sys.argv[1], sys.argv[2]
n = dist.get_world_size()
x = paddle.ones([3])


def calls():
    return {
        "all_reduce": lambda: dist.all_reduce(x),
        "reduce": lambda: dist.reduce(x, 0),
        "broadcast": lambda: dist.broadcast(x, 1),
        "all_gather": lambda: dist.all_gather([], x),
        "all_gather_object": lambda: dist.all_gather_object([], 1),
        "scatter": lambda: dist.scatter(x, [x] * n if dist.get_rank() == 1 else None, src=1),
        "alltoall": lambda: dist.alltoall([x] * n, []),
        "recv": lambda: dist.recv(x, 1),
        "barrier": dist.barrier,
        "backward": lambda: (
            paddle.DataParallel(paddle.nn.Linear(3, 1))(x.reshape([1, 3])).sum().backward()
        ),
    }


if dist.get_rank() == 1:
    print("rank 1 has something to say")
    time.sleep(0.3)
    if how == "raise":
        raise ValueError("the reason")
    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "exit":
        sys.exit(0)
    if how == "sys":
        with contextlib.suppress(SystemExit):  # caught: not the end
            sys.exit(5)
        sys.exit(3)
    if how == "raised":
        thread = threading.Thread(target=sys.exit)  # ends itself, and nothing else
        thread.start()
        thread.join()
        try:
            raise SystemExit(5)
        except SystemExit as error:
            assert type(error) is SystemExit and repr(error) == "SystemExit(5)"
        raise SystemExit(3)
    if how == "caught":
        try:
            sys.exit(5)
        except SystemExit:
            sys.exit(0)
    if how == "session":
        command = [sys.executable, "-c", "import time; time.sleep(1000)", sys.argv[3]]
        subprocess.Popen(command, start_new_session=True)
        raise ValueError("the reason")
    if how == "code":
        os._exit(7)
    if how == "zero":
        sys.stdout.flush()
        os._exit(0)
    if how == "children":
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)", sys.argv[3]])
        raise ValueError("the reason")
    if how == "hang":
        while True:
            time.sleep(1)
calls()[where]()
