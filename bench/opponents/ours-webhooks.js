import { client } from '../client.js';
import { each } from '../pace.js';
import { register } from '../service.js';
import ours from './ours.js';

/** Rates that the load would reach. */
const RATES = ['agent', 'api_key', 'visitor', 'visitor_message', 'widget_session'].map(name => `${name}=900000000/60`);
let registered = 0;

/** The service with webhooks to endpoints on this machine. Each case has a workspace of its own. */
export default {
  id: 'ours-webhooks',
  name: 'ours',
  durable: true,
  absent: () => null,
  async start(world) {
    const env = { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8', RATE_LIMITS: RATES.join(',') };
    const server = await ours.start(world, { name: 'webhooks', env });
    return { ...server, stage: wants => stage(server.port, wants) };
  },
};

/**
 * Creates a workspace with a channel per endpoint, each with the same number of conversations.
 * @param urls one per channel: the endpoint that receives its messages
 * @param everywhere URLs of endpoints that receive the messages of all channels
 * @returns `{sends, end}`: the requests of the load, and () → disables the webhooks
 */
async function stage(port, { channels, conversations, urls, everywhere }) {
  const { made, close } = client(port, { sockets: 16 });
  try {
    const { token } = await register(made, `owner-${(registered += 1)}@example.com`);
    const { key } = await made('POST', '/v1/api-keys', { name: 'bench' }, token);
    const inEach = Math.ceil(conversations / channels);
    const created = await each(Array(channels).fill(), 4, async (_, index) => {
      const { id, widget_token } = await made('POST', '/v1/channels', { name: `Channel ${index}` }, key);
      const ids = await each(Array(inEach).fill(), 4, () => begin(made, widget_token));
      return { id, ids };
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

async function begin(made, widgetToken) {
  const { visitor_token } = await made('POST', '/v1/widget/session', { widget_token: widgetToken });
  const message = { content: 'Hello?' };
  return (await made('POST', '/v1/widget/conversations', { message }, visitor_token)).conversation.id;
}

/** Returns the requests by turns through the channels. */
function sendsOf(channels, token) {
  return channels[0].ids.flatMap((_, index) =>
    channels.map(({ ids }) => ({
      method: 'POST',
      path: `/v1/conversations/${ids[index]}/messages`,
      token,
      before: '{"content":"',
      after: '"}',
    })),
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
