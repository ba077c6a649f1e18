import { states } from './conversation.js';

export const next = (state: string) => states[states.indexOf(state) + 1];
