import type { Fault } from '../fault.js';

/** Two instances on one data folder: both see the death, one of them starts the server, the other adopts it. */
const stage = { embedded: true };

/** Deaths of a PostgreSQL that the service runs itself. Nobody but the service starts it again. */
export const EMBEDDED_FAULTS: readonly Fault[] = [
  {
    number: 'F23',
    name: 'the embedded PostgreSQL is killed with all of its sessions',
    stage,
    async strike({ stage: { database } }) {
      database.kill();
      await database.isStartedAgain();
    },
  },
  {
    number: 'F23',
    name: 'the embedded PostgreSQL is killed twice',
    stage,
    async strike({ stage: { database }, random }) {
      for (const times of [1, 2]) {
        database.kill();
        await database.isStartedAgain();
        if (times === 1) await new Promise(resolve => setTimeout(resolve, random() * 1_000));
      }
    },
  },
];
