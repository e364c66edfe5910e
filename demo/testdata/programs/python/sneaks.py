"""sneaks.py LOCK TTL FORM [KEY]: a worker on a lock of python-etcd3 that a rehearsal has to see
through. In all else it does as obeys.py.

late        stops, but half a second later than it has
writes      says in time that it lost the lock, and a thread of it goes on writing KEY
child       the same, but what writes is a process of its own
reacquires  takes the lock again when it lost it, without a word, as if nothing had been
timer       works for the time that it planned, whatever becomes of its lease
"""
import os
import signal
import subprocess
import sys
import threading
import time
from urllib.parse import urlparse

import etcd3

name, ttl, form = sys.argv[1].removeprefix("/locks/"), int(sys.argv[2]), sys.argv[3]
key = (sys.argv[4:] or [""])[0]
endpoint = urlparse(os.environ["ETCDCTL_ENDPOINTS"].split(",")[0])
client = etcd3.client(host=endpoint.hostname, port=endpoint.port, timeout=1)
said = False


def write_on():
    while True:
        try:
            client.put(key, "a step more")
        except Exception:  # it tries again whatever comes of it
            pass
        time.sleep(0.2)


if form == "write":  # what child starts
    write_on()
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))


def say(word):
    global said
    if said != (word == "got"):
        print(word, "the lock", flush=True)
    said = word == "got"


def work():
    lock = client.lock(name, ttl=ttl)
    asked = time.monotonic()
    if not lock.acquire(timeout=0):
        time.sleep(0.2)
        return
    say("got")
    if form == "writes":
        threading.Thread(target=write_on, daemon=True).start()
    if form == "child":
        subprocess.Popen([sys.executable, sys.argv[0], name, str(ttl), "write", key])
    try:
        keep(lock, asked + ttl)
        if form == "late":
            time.sleep(2.5)
    except SystemExit:
        say("released")
        lock.release()
        raise
    if form != "reacquires":
        say("lost")


def keep(lock, deadline):
    planned = time.monotonic() + 30
    while time.monotonic() < deadline or form == "timer" and time.monotonic() < planned:
        time.sleep(ttl / 10)
        try:
            asked = time.monotonic()
            if (lock.refresh()[0].TTL == 0 or not lock.is_acquired()) and form != "timer":
                return
            deadline = asked + ttl
        except etcd3.exceptions.Etcd3Exception as err:
            print("trouble:", type(err).__name__, flush=True)


while True:
    try:
        work()
    except Exception as err:  # of acquire
        print("trouble:", type(err).__name__, flush=True)
        time.sleep(0.2)
