// client.js NAME TTL: a lock of the npm package etcd3. The endpoint comes in
// ETCD_ENDPOINT, commands on standard input, answers on standard output.
'use strict';
const { Etcd3 } = require('etcd3'); // NODE_PATH says where it is
const readline = require('readline');

const [name, ttl] = process.argv.slice(2);
const client = new Etcd3({ hosts: process.env.ETCD_ENDPOINT });
const say = (line) => process.stdout.write(line + '\n');
const failed = (err) => say('error ' + err.constructor.name);

let lock;
const acquire = () => {
  lock = client.lock(name).ttl(Number(ttl));
  return lock.acquire().then(() => say('holding'), failed);
};
const release = () => lock.release().then(() => say('released'), failed);

const commands = { acquire, try: acquire, release };
const input = readline.createInterface({ input: process.stdin });
input.on('line', (line) => commands[line]());
input.on('close', () => process.exit(0));
