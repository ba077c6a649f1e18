import { figuresOf } from '../measure/figures.js';

/** As many as the service allows a key at once. */
const CONNECTIONS = 4;

/**
 * Files of 256 KiB, stored so that they survive a power failure. Plain node only copies bytes. Ours also parses multipart,
 * detects the type, reserves and commits the quota, and looks at the row on each download.
 */
export default {
  id: 'S16',
  title: 'Uploads and downloads of 256 KiB',
  takes: 20,
  least: { full: 30, quick: 15 },
  cases: ['upload', 'download'].map(name => ({ name, shape: {} })),
  opponents: ['ours-files', 'plain-files'],
  quick: ['ours-files', 'plain-files'],
  columns: ['rate', 'ackP50', 'ackP99', 'serverMicros', 'databaseMicros', 'loadMicros', 'serverCores'],
  bars: [
    {
      metric: 'rate',
      of: 'ours-files',
      case: 'upload',
      against: { opponent: 'plain-files', case: 'upload' },
      atLeast: 0.2,
    },
    {
      metric: 'rate',
      of: 'ours-files',
      case: 'download',
      against: { opponent: 'plain-files', case: 'download' },
      atLeast: 0.4,
    },
  ],
  fresh: true,
  seconds: 2,
  warmSeconds: 2,

  enter: async ({ server }, _shape, { name }) => [(await server.stage())[name]],

  async play({ server, load, watched }, targets, { seconds, lead }) {
    const measured = await load.drive({
      port: server.port,
      targets,
      connections: CONNECTIONS,
      seconds,
      lead,
      listenersEach: 0,
      watched,
    });
    return figuresOf(measured);
  },
};
