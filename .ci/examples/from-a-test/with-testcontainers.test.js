// The lab as a container, with Testcontainers and vitest: its listeners are on loopback, so it has the network
// of the machine (Linux). The line of JSON in its output says where it is; lab.test.js shows the rest.
import { createInterface } from 'node:readline';
import { GenericContainer, Wait } from 'testcontainers';
import { afterAll, beforeAll, expect, test } from 'vitest';

let lab, ready;
beforeAll(async () => {
  lab = await new GenericContainer('locktop')
    .withNetworkMode('host')
    .withCommand(['lab', '--json'])
    .withTmpFs({ '/tmp': 'rw' })
    .withEnvironment({ TMPDIR: '/tmp', XDG_STATE_HOME: '/tmp/state' })
    .withWaitStrategy(Wait.forLogMessage(/"control"/))
    .start();
  for await (const line of createInterface(await lab.logs())) {
    if (line.startsWith('{')) {
      ready = JSON.parse(line);
      break;
    }
  }
}, 60_000);
afterAll(() => lab?.stop());

test('the lab answers', async () => {
  const headers = { Authorization: `Bearer ${ready.token}` };
  const answer = await fetch(ready.control, { method: 'POST', headers, body: '{"do":"list"}' });
  expect(await answer.json()).toMatchObject({ ok: true });
}, 30_000);
