import { resolve } from 'node:path';
import ours from './ours.js';

const entry = resolve(import.meta.dirname, 'servers/ours-http.js');

/** The service with an additional route that echoes the request, to measure HTTP alone. */
export default {
  ...ours,
  id: 'ours-http',
  start: (world, about = {}) => ours.start(world, { ...about, entry }),
};
