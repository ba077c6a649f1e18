import type { Pool } from 'pg';

export type Jobs = Pool;
