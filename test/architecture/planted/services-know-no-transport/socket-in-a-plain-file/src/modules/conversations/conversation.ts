import { WebSocket } from 'ws';

export const socket = WebSocket;
