// A worker with etcd3 that stops when its lease is lost: obeys.js LOCK TTL. The lock of the
// library does not show its lease, so this one takes the same key with a lease of its own. The
// library says "lost" only when it hears of that: while nothing reaches etcd the worker counts
// by its own clock, from when it sent the last renewal that was answered. Whatever goes
// wrong it ends the lease: a key that was put, though the answer did not come, would be renewed for
// ever. When it is asked to end it lets go first.
'use strict';
const { Etcd3 } = require('etcd3');

const [name, ttl] = process.argv.slice(2);
const client = new Etcd3({ hosts: process.env.ETCDCTL_ENDPOINTS.split(',') });
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

let current; // its lease
// Without an answer within its TTL a lease that nobody renews has ended all the same.
const ends = async (lease) => {
  if (!lease) return;
  await Promise.race([lease.revoke().catch(() => {}), pause(Number(ttl) * 1000)]);
};
process.on('SIGTERM', () => {
  console.log('released the lock');
  ends(current).then(() => process.exit(0));
});

const work = async () => {
  const lease = current = client.lease(Number(ttl));
  let told = false;
  let good = performance.now(); // since then the lease lasts its TTL at least
  let sent = 0; // the oldest renewal without an answer, 0 for none
  lease.on('lost', () => { told = true; });
  lease.on('keepaliveFired', () => { sent = sent || performance.now(); });
  lease.on('keepaliveSucceeded', () => { good = sent || good; sent = 0; });
  const lost = () => told || performance.now() - good > ttl * 1000;
  try {
    await lease.grant();
    while (!lost()) {
      const r = await client.if(name, 'Create', '==', 0).then(lease.put(name).value(''))
        .options({ deadline: Date.now() + Number(ttl) * 1000 }).commit();
      if (r.succeeded) {
        console.log('got the lock');
        let looked = performance.now(); // somebody may delete the key while the lease lives on
        while (!lost()) {
          await pause(50);
          if (performance.now() - looked < 500) continue;
          looked = performance.now();
          client.if(name, 'Lease', '==', await lease.grant()).commit()
            .then((mine) => { told = told || !mine.succeeded; }).catch(() => {});
        }
        console.log('lost the lock');
      } else {
        await pause(200);
      }
    }
  } finally {
    await ends(lease);
  }
};

(async () => {
  for (;;) {
    await work().catch((err) => console.log('trouble: ' + err.message));
    await pause(200);
  }
})();
