import { resolve } from 'node:path';
import ours from './ours.js';

const entry = resolve(import.meta.dirname, 'servers/ours-http.js');

/** The service with one route more, which answers from what it was asked: what HTTP alone costs here. */
export default {
  ...ours,
  id: 'ours-http',
  start: (world, about = {}) => ours.start(world, { ...about, entry }),
};
