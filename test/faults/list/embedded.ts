import type { Fault } from '../fault.js';

/** Two instances on one data folder: one restarts the server, the other adopts it. */
const stage = { embedded: true };

/** A PostgreSQL that the service runs itself dies. Only the service restarts it. */
export const EMBEDDED_FAULTS: readonly Fault[] = [
  {
    number: 'F23',
    name: 'the embedded PostgreSQL is killed with all its sessions',
    stage,
    async inject({ stage: { database }, waitMs }) {
      database.kill();
      await database.untilRestartedByService(waitMs);
    },
  },
  {
    number: 'F23',
    name: 'the embedded PostgreSQL is killed twice',
    stage,
    async inject({ stage: { database }, random, waitMs }) {
      for (const times of [1, 2]) {
        database.kill();
        await database.untilRestartedByService(waitMs);
        if (times === 1) await new Promise(resolve => setTimeout(resolve, random() * 1_000));
      }
    },
  },
];
