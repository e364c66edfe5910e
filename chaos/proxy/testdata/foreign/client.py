"""client.py NAME TTL: a lock of python-etcd3. The endpoint comes in ETCD_ENDPOINT,
commands on standard input, answers on standard output."""
import os
import sys

import etcd3

host, port = os.environ["ETCD_ENDPOINT"].split(":")
lock = etcd3.client(host=host, port=int(port)).lock(sys.argv[1], ttl=int(sys.argv[2]))


def refresh():
    return "refreshed " + " ".join(str(r.TTL) for r in lock.refresh())


commands = {
    "acquire": lambda: "holding" if lock.acquire(timeout=None) else "not acquired",
    "try": lambda: "holding" if lock.acquire(timeout=0) else "not acquired",
    "refresh": refresh,
    "release": lambda: "released" if lock.release() else "not released",
}

for line in sys.stdin:
    try:
        print(commands[line.strip()](), flush=True)
    except Exception as err:  # what a caller would see
        print("error", type(err).__name__, flush=True)
