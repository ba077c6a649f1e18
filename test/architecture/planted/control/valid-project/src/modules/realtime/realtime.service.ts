import { WebSocket } from 'ws';
import type { Hub } from '../../platform/sockets/hub.js';
import { messages } from '../conversations/index.js';

export const realtime = (hub: Hub) => [hub, WebSocket, messages];
