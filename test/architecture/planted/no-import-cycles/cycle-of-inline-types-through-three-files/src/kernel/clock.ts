export interface Clock {
  now(): import('./instant.js').Instant;
}
