// A test with vitest: locktop is on the PATH. In the place of etcdctl stands your own program.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';

let process, ready;
beforeEach(async () => {
  process = spawn('locktop', ['lab', '--json', '--with-stdin'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = await once(createInterface(process.stdout), 'line');
  ready = JSON.parse(line);
}, 30_000);
afterEach(async () => {
  process.stdin.end(); // the lab ends with it
  await once(process, 'exit');
}, 30_000);

const lab = async (request) => {
  const headers = { Authorization: `Bearer ${ready.token}` };
  const answer = await (await fetch(ready.control, { method: 'POST', headers, body: JSON.stringify(request) })).json();
  expect(answer, JSON.stringify(request)).toMatchObject({ ok: true });
  return answer;
};

test('the lock is free after the TTL', async () => {
  const [endpoint] = (await lab({ do: 'listen', target: 'a' })).endpoints;
  const worker = spawn('etcdctl', ['--endpoints', endpoint, 'lock', '--ttl=5', '/app/report', 'sleep', '60']);
  try {
    await lab({ do: 'wait', lock: '/app/report', queue: 1 });
    await lab({ do: 'inject', fault: 'freeze', target: 'a' });
    await lab({ do: 'wait', lock: '/app/report', nobody: true, within: '8s' });
  } finally {
    worker.kill('SIGKILL');
  }
}, 30_000);
