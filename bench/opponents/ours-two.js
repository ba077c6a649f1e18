import { programAbsent } from '../programs.js';
import ours from './ours.js';

const name = 'ours_two';

/**
 * Two instances of the service on one database and one Redis: messages go to the first, and sockets connect to the
 * second. The processor time of all three counts as the server's.
 */
export default {
  ...ours,
  id: 'ours-two',
  name: 'ours, two instances',
  absent: () => programAbsent('redis-server'),
  async start(world) {
    const started = [await world.redis()];
    const stop = async () => {
      for (const one of started.splice(0).reverse()) await one.stop();
    };
    try {
      const env = { REDIS_URL: started[0].url };
      const sending = await ours.start(world, { env, name });
      started.push(sending);
      const listening = await ours.start(world, { env, name });
      started.push(listening);
      return { ...sending, listenPort: listening.port, pids: started.map(({ pid }) => pid), stop };
    } catch (error) {
      await stop();
      throw error;
    }
  },
};
