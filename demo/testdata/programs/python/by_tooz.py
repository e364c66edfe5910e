"""by_tooz.py LOCK TTL: a worker on a lock of tooz, by its driver etcd3, which tooz renews in a
thread of its own. The driver puts /locks/ before the name. Nothing tells the worker that a renewal
failed."""
import os
import sys
import time
from urllib.parse import urlparse

import grpc
from tooz import coordination

name, ttl = sys.argv[1].removeprefix("/locks/"), int(sys.argv[2])
endpoint = urlparse(os.environ["ETCDCTL_ENDPOINTS"].split(",")[0])
coordinator = coordination.get_coordinator(
    f"etcd3://{endpoint.hostname}:{endpoint.port}?timeout={ttl}", os.urandom(4).hex().encode())
coordinator.start(start_heart=True)
lock = coordinator.get_lock(name.encode())
while True:
    try:
        if lock.acquire(blocking=False):
            break
    except TypeError:  # python-etcd3 0.12 with a newer tenacity, where somebody has the lock
        pass
    except grpc.RpcError as err:  # "raft proposal dropped", while the leader moves
        print("trouble:", err.details(), flush=True)
    time.sleep(0.2)
print("got the lock", flush=True)
while True:
    time.sleep(0.3)
    try:
        coordinator.client.put("/work", "a step more")
    except Exception as err:  # it goes on, whatever comes of it
        print("trouble:", type(err).__name__, flush=True)
