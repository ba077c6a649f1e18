import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import ours from './ours.js';

const { EARLIER } = process.env;
const entry = EARLIER === undefined ? null : resolve(EARLIER, 'dist/main.js');

/** An earlier version of the service, built in the folder that `EARLIER` names. */
export default {
  ...ours,
  id: 'ours-earlier',
  name: 'ours, earlier',
  absent: () => (entry === null ? 'EARLIER names no folder' : existsSync(entry) ? null : `there is no ${entry}`),
  start: (world, about = {}) => ours.start(world, { ...about, entry, name: 'ours_earlier' }),
};
