import { setTimeout as delay } from 'node:timers/promises';
import { call } from '../../support/service-process.js';
import { beginConversation } from '../../support/outside.js';
import type { Attack } from '../attack.js';

const STOP_SECONDS = 5;

/** Stops of a service whose dependency is gone. */
export const SHUTDOWNS: readonly Attack[] = [
  {
    name: 'SIGTERM while the database does not respond',
    async run(arena) {
      const desk = await arena.desk();
      const { conversationId } = await beginConversation(arena.url, desk);
      arena.databaseProxy.swallow();
      const body = { content: 'Hello?', member_id: desk.memberId };
      const path = `${arena.url}/v1/conversations/${conversationId}/messages`;
      const started = performance.now();
      const sending = call('POST', path, { token: desk.key, body }).then(
        ({ status }) => status,
        () => 0,
      );
      const status = await Promise.race([sending, delay(25_000).then(() => 'no response')]);
      const answered = (performance.now() - started) / 1_000;
      const seconds = await arena.terminate();
      await arena.start();
      const broken = [
        ...(answered > 12 ? [`a sender waits ${answered.toFixed(1)} s for its response`] : []),
        ...(seconds > STOP_SECONDS ? [`the stop takes ${seconds.toFixed(1)} s`] : []),
      ];
      return { figures: { sender: `${status} after ${answered.toFixed(1)} s`, 'stop s': seconds.toFixed(1) }, broken };
    },
  },
];
