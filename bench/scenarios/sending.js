import { figuresOf } from '../measure/figures.js';

/** Requests in flight of a load that knows no pause. */
export const CONNECTIONS = 64;

/**
 * The scenarios that send messages over REST and listen.
 * @param shape of a case: `{conversations, listenersEach, inbox, perSecond?}`
 */
export const sending = {
  async enter({ server, load }, shape) {
    const stage = await server.stage(shape);
    const sockets = [...stage.conversations.flatMap(one => one.sockets), ...stage.inbox];
    await load.open({ port: server.heardOn ?? server.port, sockets });
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
