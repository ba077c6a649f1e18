import type { AgentSessionView } from './types.js';

/** Tokens to store in order to stay logged in. */
export type AgentTokens = Pick<AgentSessionView, 'token' | 'refresh_token'>;
