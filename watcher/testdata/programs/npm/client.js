// client.js lock NAME | client.js election NAME VALUE
'use strict';
const { Etcd3 } = require('etcd3');
const readline = require('readline');

const [kind, name, value] = process.argv.slice(2);
const client = new Etcd3({ hosts: process.env.ETCD_ENDPOINT });
const say = (line) => process.stdout.write(line + '\n');
const failed = (err) => say('error ' + err.constructor.name);

const lock = () => {
  const lock = client.lock(name);
  return {
    acquire: () => lock.acquire().then(() => say('holding'), failed),
    release: () => lock.release().then(() => say('released'), failed),
  };
};

const election = () => {
  const campaign = client.election(name).campaign(value);
  campaign.on('elected', () => say('holding'));
  campaign.on('error', failed);
  return {
    proclaim: (v) => campaign.proclaim(v).then(() => say('proclaimed'), failed),
    release: () => campaign.resign().then(() => say('released'), failed),
  };
};

const commands = { lock, election }[kind]();
const input = readline.createInterface({ input: process.stdin });
input.on('line', (line) => {
  const [command, argument] = line.split(' ');
  commands[command](argument);
});
input.on('close', () => process.exit(0));
