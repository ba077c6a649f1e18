import { client } from '../client.js';
import { withClient } from '../database.js';
import { enablePlanLog, plansOf } from '../explain.js';
import { each } from '../pace.js';
import { hireAgents, openDesk } from '../service.js';
import ours from './ours.js';
import { fillMessages, indexSize } from './search-rows.js';

const CHANNELS = 20;
const AGENTS = 20;

/** The service with a given number of messages in one workspace, in a separate database. */
export const searches = [100_000, 1_000_000].map(count => ({
  id: `search-${count}`,
  name: `${count.toLocaleString('en')} messages`,
  durable: true,
  absent: () => null,
  async start(world) {
    const name = `search_${count}`;
    const { url } = await world.postgres.database(name);
    await enablePlanLog(url);
    const server = await ours.start(world, { name, env: { RATE_LIMITS: 'off' } });
    try {
      const stage = await prepareWorkspace(server.port, url, count, world.folder);
      return { ...server, stage: async () => stage, plansOf: work => plansOf(url, world.postgres.logFile, work) };
    } catch (error) {
      await server.stop();
      throw error;
    }
  },
}));

/** @returns a token, the queries by kind, and the size of the index in bytes */
async function prepareWorkspace(port, url, count, folder) {
  const { made, close } = client(port);
  try {
    const desk = await openDesk(made);
    const names = Array.from({ length: CHANNELS }, (_, index) => `Channel ${index}`);
    const channels = await each(names, 4, name => made('POST', '/v1/channels', { name }, desk.token));
    const [token] = await hireAgents(made, desk.key, AGENTS);
    const ids = { ...(await readIds(url)), channelIds: channels.map(({ id }) => id) };
    const queries = await fillMessages(url, ids, count, folder);
    for (const query of [...queries['common words'], ...queries.phrases]) {
      const { items } = await made('GET', `/v1/search?query=${encodeURIComponent(query)}`, undefined, token);
      if (items.length === 0) throw new Error(`the search for ${query} finds nothing`);
    }
    return { token, queries, size: await indexSize(url) };
  } finally {
    close();
  }
}

function readIds(url) {
  return withClient(url, async database => {
    const { rows } = await database.query('SELECT workspace_id, id FROM member');
    return { workspaceId: rows[0].workspace_id, memberIds: rows.map(({ id }) => id) };
  });
}
