import { client } from '../client.js';
import { each } from '../pace.js';
import { beginConversation, messageTarget, register } from '../service.js';
import ours from './ours.js';

let registered = 0;

/** The service with webhooks to endpoints on this machine. Each case has a workspace of its own. */
export default {
  id: 'ours-webhooks',
  name: 'ours',
  durable: true,
  absent: () => null,
  async start(world) {
    const server = await ours.start(world, { name: 'webhooks', env: { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' } });
    return { ...server, stage: wants => stage(server.port, wants) };
  },
};

/**
 * Creates a workspace with a channel per endpoint, each with the same number of conversations.
 * @param urls one per channel: the endpoint that receives its messages
 * @param everywhere URLs of endpoints that receive the messages of all channels
 * @returns `{sends, end}`: the requests of the load, and () → disables the webhooks
 */
async function stage(port, { channels, conversations: total, urls, everywhere }) {
  const { made, close } = client(port, { sockets: 16 });
  try {
    const { token } = await register(made, `owner-${(registered += 1)}@example.com`);
    const { key } = await made('POST', '/v1/api-keys', { name: 'bench' }, token);
    const inEach = Math.ceil(total / channels);
    const created = await each(Array(channels).fill(), 4, async (_, index) => {
      const { id, widget_token } = await made('POST', '/v1/channels', { name: `Channel ${index}` }, key);
      const conversations = await each(Array(inEach).fill(), 4, () => beginConversation(made, widget_token));
      return { id, conversations };
    });
    const requested = [
      ...urls.map((url, index) => ({ url, channel_ids: [created[index].id] })),
      ...everywhere.map(url => ({ url })),
    ];
    const webhooks = [];
    for (const one of requested) {
      webhooks.push(await made('POST', '/v1/webhooks', { ...one, events: ['message.created'] }, key));
    }
    return { sends: sendsOf(created, token), end: () => disable(port, key, webhooks) };
  } finally {
    close();
  }
}

/** Returns the requests by turns through the channels. */
function sendsOf(channels, token) {
  return channels[0].conversations.flatMap((_, index) =>
    channels.map(({ conversations }) => messageTarget(conversations[index].id, token)),
  );
}

async function disable(port, key, webhooks) {
  const { made, close } = client(port);
  try {
    for (const { id } of webhooks) await made('PATCH', `/v1/webhooks/${id}`, { enabled: false }, key);
  } finally {
    close();
  }
}
