import { sending } from './sending.js';

const CHANNELS = 10;

const at = (name, perSecond, endpoints) => ({
  name: `${perSecond}/s, ${name}`,
  shape: { perSecond, ...endpoints },
  fullOnly: perSecond > 200,
});

/**
 * Messages of 100 conversations in ten channels, sent by an agent at a steady rate. With ten endpoints, each receives
 * the messages of its channel; the fast endpoint receives all messages, alone or beside one that never answers.
 */
export default {
  id: 'S17',
  title: 'Webhooks at a steady rate',
  takes: 60,
  cases: [
    at('no endpoint', 170, { ofChannels: 0, everywhere: 0 }),
    at('a fast endpoint', 170, { ofChannels: 0, everywhere: 1 }),
    at('a fast endpoint beside a dead one', 170, { ofChannels: 0, everywhere: 1, dead: true }),
    at('no endpoint', 1000, { ofChannels: 0, everywhere: 0 }),
    at('10 endpoints', 1000, { ofChannels: CHANNELS, everywhere: 0 }),
  ],
  opponents: ['ours-webhooks'],
  quick: ['ours-webhooks'],
  columns: [
    'rate',
    'ackP50',
    'ackP99',
    'deliveryP50',
    'deliveryP99',
    'missing',
    'repeated',
    'serverMicros',
    'databaseMicros',
    'loadMicros',
    'serverCores',
  ],
  bars: [
    { metric: 'missing', of: 'ours-webhooks', atMost: 0 },
    ...['deliveryP50', 'deliveryP99'].map(metric => ({
      metric,
      of: 'ours-webhooks',
      case: '170/s, a fast endpoint beside a dead one',
      against: { case: '170/s, a fast endpoint' },
      atMost: 1.25,
    })),
  ],
  fresh: true,
  seconds: 3,

  async enter({ server, load }, { ofChannels, everywhere, dead }) {
    const endpoints = await load.receive({ count: ofChannels + everywhere, dead });
    const { sends, end } = await server.stage({
      channels: CHANNELS,
      conversations: 100,
      urls: endpoints.urls.slice(0, ofChannels),
      everywhere: [...endpoints.urls.slice(ofChannels), ...(dead ? [endpoints.dead] : [])],
    });
    return { sends, end, load };
  },

  play: (seat, { sends }, { shape, ...wants }) =>
    sending.play(seat, sends, {
      ...wants,
      shape: { perSecond: shape.perSecond, listenersEach: shape.ofChannels + shape.everywhere > 0 ? 1 : 0 },
    }),

  async leave({ end, load }) {
    await end();
    await load.close();
  },
};
