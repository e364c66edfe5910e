"""client.py NAME: a lock of python-etcd3, as Debian packages it."""
import os
import sys
from urllib.parse import urlparse

import etcd3

endpoint = urlparse(os.environ["ETCD_ENDPOINT"])
client = etcd3.client(host=endpoint.hostname, port=endpoint.port)
lock = client.lock(sys.argv[1], ttl=60)

for line in sys.stdin:
    command = line.strip()
    try:
        if command == "acquire":
            print("holding" if lock.acquire(timeout=1) else "not acquired", flush=True)
        elif command == "refresh":
            lock.refresh()
            print("refreshed", flush=True)
        elif command == "release":
            print("released" if lock.release() else "not released", flush=True)
    except Exception as err:  # what a caller would see
        print("error", type(err).__name__, flush=True)
