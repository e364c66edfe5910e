// A worker with etcd3 that stops when its lease is lost: obeys.js LOCK TTL. The lock of the
// library does not show its lease, so this one takes the same key with a lease of its own. When
// it is asked to end it lets go first.
'use strict';
const { Etcd3 } = require('etcd3');

const [name, ttl] = process.argv.slice(2);
const client = new Etcd3({ hosts: process.env.ETCDCTL_ENDPOINTS.split(',') });
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

let current; // its lease
process.on('SIGTERM', () => {
  console.log('released the lock');
  current.revoke().catch(() => {}).then(() => process.exit(0));
});

const work = async () => {
  const lease = current = client.lease(Number(ttl));
  let lost = false;
  lease.on('lost', () => { lost = true; });
  await lease.grant();
  while (!lost) {
    const r = await client.if(name, 'Create', '==', 0).then(lease.put(name).value('')).commit();
    if (r.succeeded) {
      console.log('got the lock');
      while (!lost) await pause(50);
      console.log('lost the lock');
    } else {
      await pause(200);
    }
  }
};

(async () => {
  for (;;) {
    await work().catch((err) => console.log('trouble: ' + err.message));
    await pause(200);
  }
})();
