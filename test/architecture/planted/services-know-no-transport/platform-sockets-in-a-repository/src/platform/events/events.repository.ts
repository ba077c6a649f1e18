import type { Hub } from '../sockets/hub.js';

export type Log = Hub;
