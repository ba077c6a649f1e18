import type { Gauge } from '../health/gauge.js';

export type Lag = Gauge;
