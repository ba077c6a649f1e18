import { type Clock } from './clock.js';

export interface Zone {
  clock: Clock;
}
