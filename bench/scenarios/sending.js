import { figuresOf } from '../measure/figures.js';

/** Concurrent requests of a closed-loop load. */
export const CONNECTIONS = 64;

/**
 * Common part of scenarios that send messages over REST and receive them on sockets.
 * @param shape of a case: `{conversations, listenersEach, inbox, perSecond?}`
 */
export const sending = {
  async enter({ server, load }, shape) {
    const stage = await server.stage(shape);
    const sockets = [...stage.conversations.flatMap(one => one.sockets), ...stage.inbox];
    await load.open({ port: server.listenPort ?? server.port, sockets });
    return stage.conversations.map(({ send }) => send);
  },

  async play({ server, load, watched }, targets, { shape, seconds, lead }) {
    const { perSecond, listenersEach = 0, inbox = 0 } = shape;
    const measured = await load.drive({
      port: server.port,
      targets,
      connections: CONNECTIONS,
      seconds,
      lead,
      perSecond,
      listenersEach: listenersEach + inbox,
      watched,
    });
    return figuresOf(measured);
  },
};

export const SENDING_COLUMNS = [
  'rate',
  'serverMicros',
  'databaseMicros',
  'loadMicros',
  'serverCores',
  'ackP50',
  'ackP99',
];
