import type { State } from './conversation.js';

export interface Transition {
  to: State;
}
