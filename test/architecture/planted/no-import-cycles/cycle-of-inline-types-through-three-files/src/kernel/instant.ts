import type { Zone } from './zone.js';

export interface Instant {
  zone: Zone;
}
