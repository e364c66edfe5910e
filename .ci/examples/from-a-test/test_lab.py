"""A test with pytest: locktop is on the PATH. In the place of etcdctl stands your own program."""
import json
import subprocess
import urllib.error
import urllib.request

import pytest


@pytest.fixture
def lab():
    process = subprocess.Popen(["locktop", "lab", "--json", "--with-stdin"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    ready = json.loads(process.stdout.readline())

    def do(**request):
        post = urllib.request.Request(ready["control"], json.dumps(request).encode(), {"Authorization": "Bearer " + ready["token"]})
        try:
            return json.load(urllib.request.urlopen(post))
        except urllib.error.HTTPError as err:
            raise AssertionError(f"{request}: {json.load(err)['error']}") from None

    yield do
    process.stdin.close()  # the lab ends with it
    process.wait()


def test_the_lock_is_free_after_the_ttl(lab):
    endpoint = lab(do="listen", target="a")["endpoints"][0]
    worker = subprocess.Popen(["etcdctl", "--endpoints", endpoint, "lock", "--ttl=5", "/app/report", "sleep", "60"])
    try:
        lab(do="wait", lock="/app/report", queue=1)
        lab(do="inject", fault="freeze", target="a")
        lab(do="wait", lock="/app/report", nobody=True, within="8s")
    finally:
        worker.kill()
        worker.wait()
