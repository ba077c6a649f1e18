import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect } from '@jest/globals';
import { bench, itIfInstalled, driveMessages } from '../support/bench.js';
import type { Load } from '../support/bench.js';

const { opponents } = await bench('opponents/index.js');
const { startLoad } = await bench('load.js');

/** Servers that store nothing, each with a protocol of its own. */
describe.each(['nats', 'mosquitto', 'ejabberd', 'centrifuge'])('%s', id => {
  const opponent = opponents[id];
  const played = itIfInstalled(id, opponent);
  const folder = mkdtempSync(join(tmpdir(), 'passing-on-'));
  const started: { stop(): unknown }[] = [];

  afterAll(async () => {
    for (const one of started.reverse()) await one.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  played(
    `The opponent ${id} delivers each message once to all listeners of its conversation, and to nobody else.`,
    async () => {
      if (!opponent) throw new Error(`there is no opponent ${id}`);
      const server = await opponent.start({ folder });
      started.push(server);
      const load: Load = startLoad();
      started.push(load);
      const { measured, tooFew } = await driveMessages(server, load);
      expect(measured).toMatchObject({ missing: 0, repeated: 0 });
      expect(measured.operations).toBeGreaterThan(10);

      // A missing listener is detected.
      const alone = await tooFew();
      expect(alone.missing).toBe(alone.operations);
    },
  );

  played('An opponent that stops during a measurement causes an error, not a result.', async () => {
    const [server, load] = started as [Awaited<ReturnType<NonNullable<typeof opponent>['start']>>, Load];
    const { conversations } = server.stage({ conversations: 1, listenersEach: 1 });
    const targets = conversations.map(({ send }) => send);
    const wants = { port: server.port, targets, connections: 2, seconds: 5, listenersEach: 2, watched: {} };
    const driven = expect(load.drive(wants)).rejects.toThrow();
    await server.stop();
    await driven;
  });
});
