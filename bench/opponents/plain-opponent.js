import { resolve } from 'node:path';
import { startServer } from '../processes.js';
import { plainStage } from './plain-stage.js';
import { makeTables } from './plain-tables.js';

/**
 * Makes an opponent that uses the plain tables.
 * @param program its file in `servers/`, or options of node followed by the file
 * @param redis true to start a Redis for it
 */
export function plainOpponent({ id, name, program, socket, absent = () => null, redis = false }) {
  const command = [program].flat();
  return {
    id,
    name,
    durable: true,
    absent,
    async start({ postgres, redis: startRedis }) {
      const url = await postgres.database(id);
      if (url.made) await makeTables(url.url);
      const bus = redis ? await startRedis() : null;
      const file = resolve(import.meta.dirname, 'servers', command.at(-1));
      const env = { NODE_ENV: 'production', DATABASE_URL: url.url, ...(bus && { REDIS_URL: bus.url }) };
      const server = await startServer([...command.slice(0, -1), file], env);
      return {
        ...server,
        pids: bus ? [server.pid, bus.pid] : [server.pid],
        stage: plainStage(socket),
        async stop() {
          await server.stop();
          await bus?.stop();
        },
      };
    },
  };
}
