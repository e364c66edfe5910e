// A worker on the lock of etcd3 as its README has it: ignores.js LOCK TTL. Nothing tells it
// when its lease is lost, so it works on.
'use strict';
const { Etcd3 } = require('etcd3');

const [name, ttl] = process.argv.slice(2);
const client = new Etcd3({ hosts: process.env.ETCDCTL_ENDPOINTS.split(',') });
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

(async () => {
  for (;;) {
    try {
      await client.lock(name).ttl(Number(ttl)).acquire();
      break;
    } catch (err) {
      await pause(200); // somebody has it
    }
  }
  console.log('got the lock');
  for (;;) {
    await pause(300);
    await client.put('/work').value('a step more').catch((err) => console.log('trouble: ' + err.message));
  }
})();
