import type { Transition } from './lifecycle.js';

export type State = 'open' | 'closed';
export type Past = Transition[];
