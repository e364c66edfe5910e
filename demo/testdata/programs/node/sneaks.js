// A worker with etcd3 that a rehearsal has to see through: sneaks.js LOCK TTL FORM [KEY]. In all else it
// does as obeys.js.
//
// late        stops, but half a second later than it has
// writes      says in time that it lost the lock, and a part of it goes on writing KEY
// child       the same, but what writes is a process of its own
// reacquires  takes the lock again when it lost it, without a word, as if nothing had been
// timer       works for the time that it planned, whatever becomes of its lease
'use strict';
const { spawn } = require('node:child_process');
const { Etcd3 } = require('etcd3');

const [name, ttl, form, key] = process.argv.slice(2);
const client = new Etcd3({ hosts: process.env.ETCDCTL_ENDPOINTS.split(',') });
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const writeOn = async () => {
  for (;;) {
    await Promise.race([client.put(key).value('a step more').exec().catch(() => {}), pause(1000)]);
    await pause(200);
  }
};

let said = false;
const say = (word) => {
  if (said !== (word === 'got')) console.log(word + ' the lock');
  said = word === 'got';
};

let current; // its lease
const ends = async (lease) => {
  if (!lease) return;
  await Promise.race([lease.revoke().catch(() => {}), pause(Number(ttl) * 1000)]);
};

const work = async () => {
  const lease = current = client.lease(Number(ttl));
  let told = false;
  let good = performance.now();
  let sent = 0;
  lease.on('lost', () => { told = true; });
  lease.on('keepaliveFired', () => { sent = sent || performance.now(); });
  lease.on('keepaliveSucceeded', () => { good = sent || good; sent = 0; });
  const lost = () => told || performance.now() - good > ttl * 1000;
  try {
    await lease.grant();
    while (!lost()) {
      const r = await client.if(name, 'Create', '==', 0).then(lease.put(name).value(''))
        .options({ deadline: Date.now() + Number(ttl) * 1000 }).commit();
      if (!r.succeeded) {
        await pause(200);
        continue;
      }
      say('got');
      if (form === 'writes') writeOn();
      if (form === 'child') spawn(process.execPath, [__filename, name, ttl, 'write', key], { stdio: 'ignore' });
      if (form === 'timer') {
        await pause(30000);
        say('released');
        return;
      }
      let looked = performance.now();
      while (!lost()) {
        await pause(50);
        if (performance.now() - looked < 500) continue;
        looked = performance.now();
        client.if(name, 'Lease', '==', await lease.grant()).commit()
          .then((mine) => { told = told || !mine.succeeded; }).catch(() => {});
      }
      if (form === 'late') await pause(2500);
      if (form !== 'reacquires') say('lost');
    }
  } finally {
    await ends(lease);
  }
};

if (form === 'write') { // what child starts
  writeOn();
} else {
  process.on('SIGTERM', () => {
    say('released');
    ends(current).then(() => process.exit(0));
  });
  (async () => {
    for (;;) {
      await work().catch((err) => console.log('trouble: ' + err.message));
      await pause(200);
    }
  })();
}
