"""client.py DRIVER MEMBER LOCK: a coordinator of tooz, by one of its drivers for etcd."""
import os
import sys

import etcd3gw
from tooz import coordination

# Debian 12 has a tooz that asks for api_path, which only the class of its etcd3gw takes.
etcd3gw.client = etcd3gw.Etcd3Client

host = os.environ["ETCD_ENDPOINT"].split("//")[-1]
coordinator = coordination.get_coordinator(sys.argv[1] + "://" + host + "?api_version=v3", sys.argv[2].encode())
coordinator.start()
lock = coordinator.get_lock(sys.argv[3].encode())


def join():
    try:
        coordinator.create_group(b"agents").get()
    except coordination.GroupAlreadyExist:
        pass
    coordinator.join_group(b"agents").get()
    return True


commands = {
    "join": join,
    "leave": lambda: coordinator.leave_group(b"agents").get() or True,
    "acquire": lambda: lock.acquire(blocking=False),
    "heartbeat": coordinator.heartbeat,
    "release": lock.release,
}
for line in sys.stdin:
    command = line.strip()
    try:
        print(command, "done" if commands[command]() else "refused", flush=True)
    except Exception as err:  # what a caller would see
        print("error", type(err).__name__, err, flush=True)
