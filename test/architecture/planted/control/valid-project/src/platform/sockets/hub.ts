import type { WebSocket } from 'ws';

export type Hub = Set<WebSocket>;
