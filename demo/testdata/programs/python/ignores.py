"""ignores.py LOCK TTL: a worker on a lock of python-etcd3 that keeps its lease alive in a
thread, as many do, and never looks at what comes of it."""
import os
import sys
import threading
import time
from urllib.parse import urlparse

import etcd3

name, ttl = sys.argv[1].removeprefix("/locks/"), int(sys.argv[2])
endpoint = urlparse(os.environ["ETCDCTL_ENDPOINTS"].split(",")[0])
client = etcd3.client(host=endpoint.hostname, port=endpoint.port)
lock = client.lock(name, ttl=ttl)


def renew():
    while True:
        lock.refresh()
        time.sleep(ttl / 3)


while True:
    try:
        if lock.acquire(timeout=0):
            break
    except TypeError:  # python-etcd3 0.12 with a newer tenacity, where somebody has the lock
        pass
    time.sleep(0.2)
print("got the lock", flush=True)
threading.Thread(target=renew, daemon=True).start()
while True:
    time.sleep(0.3)
    client.put("/work", "a step more")
