import { client } from '../client.js';
import { withClient } from '../database.js';
import { enablePlanLog, plansOf } from '../explain.js';
import { each } from '../pace.js';
import { hireAgents, openDesk } from '../service.js';
import { DAYS, fillReports } from './report-rows.js';
import ours from './ours.js';

const CHANNELS = 20;
/** Channels that a narrowed session sees. */
const SEEN = 3;
const AGENTS = 21;
const DAY_MS = 86_400_000;

/** The service with the facts of 90 days, of a given number of conversations in one workspace. */
export const reports = [1_000, 1_000_000].map(count => ({
  id: `reports-${count}`,
  name: `${count.toLocaleString('en')} conversations`,
  durable: true,
  absent: () => null,
  async start(world) {
    const name = `reports_${count}`;
    const { url } = await world.postgres.database(name);
    await enablePlanLog(url);
    const server = await ours.start(world, { name });
    try {
      const desk = await prepareWorkspace(server.port, url, count);
      return { ...server, stage: async () => desk, plansOf: work => plansOf(url, world.postgres.logFile, work) };
    } catch (error) {
      await server.stop();
      throw error;
    }
  },
}));

/** @returns the owner's token, that of a session with three channels, a member, and the period of the facts */
async function prepareWorkspace(port, url, count) {
  const { made, close } = client(port);
  try {
    const desk = await openDesk(made);
    const names = Array.from({ length: CHANNELS }, (_, index) => `Channel ${index}`);
    const channels = await each(names, 4, name => made('POST', '/v1/channels', { name }, desk.token));
    const channelIds = channels.map(({ id }) => id);
    await hireAgents(made, desk.key, AGENTS);
    const narrowed = { email: 'agent-0@example.com', channel_ids: channelIds.slice(0, SEEN) };
    const { token: narrowToken } = await made('POST', '/v1/auth/agent-token', narrowed, desk.key);
    const { workspaceId, memberIds } = await readIds(url);
    const { facts, bytes } = await fillReports(url, { workspaceId, memberIds, channelIds }, count);
    const to = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    const period = { from: new Date(to - DAYS * DAY_MS).toISOString(), to: new Date(to).toISOString() };
    return { token: desk.token, narrowToken, memberId: memberIds[1], period, facts, bytes };
  } finally {
    close();
  }
}

function readIds(url) {
  return withClient(url, async database => {
    const { rows } = await database.query(`SELECT workspace_id, id FROM member WHERE role = 'agent' ORDER BY id`);
    return { workspaceId: rows[0].workspace_id, memberIds: rows.map(({ id }) => id) };
  });
}
