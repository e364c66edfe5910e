"""obeys.py LOCK TTL: a worker on a lock of python-etcd3, which it refreshes itself. The
library puts /locks/ before the name. It stops when it could not refresh in time, or its key
is gone. When it is asked to end it lets go first."""
import os
import signal
import sys
import time
from urllib.parse import urlparse

import etcd3

name, ttl = sys.argv[1].removeprefix("/locks/"), int(sys.argv[2])
endpoint = urlparse(os.environ["ETCDCTL_ENDPOINTS"].split(",")[0])
client = etcd3.client(host=endpoint.hostname, port=endpoint.port, timeout=1)


signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))


def work():
    lock = client.lock(name, ttl=ttl)
    asked = time.monotonic()
    if not lock.acquire(timeout=0):
        time.sleep(0.2)
        return
    print("got the lock", flush=True)
    try:
        keep(lock, asked + ttl)
    except SystemExit:
        print("released the lock", flush=True)
        lock.release()
        raise
    print("lost the lock", flush=True)


def keep(lock, deadline):
    while time.monotonic() < deadline:
        time.sleep(ttl / 10)
        try:
            asked = time.monotonic()
            if lock.refresh()[0].TTL == 0 or not lock.is_acquired():
                return  # the lease is gone, or somebody took the key away
            deadline = asked + ttl
        except etcd3.exceptions.Etcd3Exception as err:
            print("trouble:", type(err).__name__, flush=True)


while True:
    try:
        work()
    except Exception as err:  # of acquire
        print("trouble:", type(err).__name__, flush=True)
        time.sleep(0.2)
