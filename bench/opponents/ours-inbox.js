import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { client } from '../client.js';
import { withClient } from '../database.js';
import { enablePlanLog, plansOf } from '../explain.js';
import { each } from '../pace.js';
import { root } from '../processes.js';
import { hireAgents, openDesk } from '../service.js';
import { emailOf, fillInbox } from './inbox-rows.js';
import ours from './ours.js';

const countsRepair = resolve(root, 'dist/bin/repair-counts.js');

const CHANNELS = 20;
/** Channels that a narrowed session sees. */
const SEEN = 3;
const AGENTS = 20;
/** Conversations of a page. */
const PAGE = 50;
/** Number of e-mails that the search case uses in turn. */
const SEARCHED_EMAILS = 20;

/** The service with a given number of conversations in one workspace, in a separate database. */
export const inboxes = [1_000, 100_000, 1_000_000].map(count => ({
  id: `inbox-${count}`,
  name: `${count.toLocaleString('en')} conversations`,
  durable: true,
  absent: () => null,
  async start(world) {
    const name = `inbox_${count}`;
    const { url } = await world.postgres.database(name);
    await enablePlanLog(url);
    const server = await ours.start(world, { name });
    try {
      const desk = await prepareWorkspace(server.port, url, count, world.folder);
      return { ...server, stage: async () => desk, plansOf: work => plansOf(url, world.postgres.logFile, work) };
    } catch (error) {
      await server.stop();
      throw error;
    }
  },
}));

/** @returns tokens of a session with all channels and of one with three, cursors deep in their lists, and e-mails */
async function prepareWorkspace(port, url, count, folder) {
  const { made, close } = client(port);
  try {
    const desk = await openDesk(made);
    const names = Array.from({ length: CHANNELS }, (_, index) => `Channel ${index}`);
    const channels = await each(names, 4, name => made('POST', '/v1/channels', { name }, desk.token));
    const channelIds = channels.map(({ id }) => id);
    const [token] = await hireAgents(made, desk.key, AGENTS);
    const narrowed = { email: 'agent-0@example.com', channel_ids: channelIds.slice(0, SEEN) };
    const { token: narrowToken } = await made('POST', '/v1/auth/agent-token', narrowed, desk.key);
    const { workspaceId, memberIds } = await readIds(url);
    await fillInbox(url, { workspaceId, memberIds, channelIds }, count, folder);
    const env = { PATH: process.env.PATH, DATA_DIR: folder, DATABASE_URL: url, LOG_LEVEL: 'warn' };
    await promisify(execFile)(process.execPath, [countsRepair], { cwd: root, env });
    const emails = Array.from({ length: SEARCHED_EMAILS }, (_, turn) =>
      emailOf(1 + Math.floor((turn * count) / SEARCHED_EMAILS)),
    );
    const seen = channelIds.slice(0, SEEN);
    return { token, narrowToken, deep: await deep(url, channelIds), narrowDeep: await deep(url, seen), emails };
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

/** Returns the service's cursor nine tenths down the list, or before the last full page. */
async function deep(url, channelIds) {
  const { encodeCursor } = await import(resolve(root, 'dist/kernel/page.js'));
  return withClient(url, async database => {
    const { rows } = await database.query(
      `SELECT id, last_activity_at FROM conversation WHERE channel_id = ANY($1) ORDER BY last_activity_at DESC, id DESC
       OFFSET (SELECT least(count(*) * 9 / 10, count(*) - $2) FROM conversation WHERE channel_id = ANY($1)) LIMIT 1`,
      [channelIds, PAGE + 2],
    );
    const [{ id, last_activity_at: at }] = rows;
    return encodeCursor('conversations.last_activity', [at.toISOString(), id]);
  });
}
