"""client.py SCOPE NAME: a member of a Patroni cluster, as far as etcd sees it."""
import inspect
import os
import sys
from urllib.parse import urlparse

from patroni.dcs import get_dcs

scope, name = sys.argv[1:3]
endpoint = urlparse(os.environ["ETCD_ENDPOINT"])
dcs = get_dcs({
    "etcd3": {"host": "%s:%d" % (endpoint.hostname, endpoint.port)},
    "scope": scope, "name": name, "namespace": "/service/",
    "ttl": 30, "loop_wait": 10, "retry_timeout": 10,
    "bootstrap": {"dcs": {}},
})


def touch():
    return dcs.touch_member({"conn_url": "postgres://%s:5432/postgres" % name, "state": "running", "role": "replica"})


def release():
    leader = dcs.get_cluster().leader
    if "leader" in inspect.signature(dcs.delete_leader).parameters:  # later versions want it
        return dcs.delete_leader(leader)
    return dcs.delete_leader()


commands = {
    "touch": touch,
    "acquire": dcs.attempt_to_acquire_leader,
    "release": release,
    "initialize": lambda: dcs.initialize(sysid="7000000000000000001"),
}
for line in sys.stdin:
    try:
        done = commands[line.strip()]()
        print(line.strip(), "done" if done else "refused", flush=True)
    except Exception as err:  # what a caller would see
        print("error", type(err).__name__, flush=True)
os._exit(0)  # a thread of Patroni's cache would keep it alive
