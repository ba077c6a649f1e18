import type { Rows } from '../platform/database/rows.js';

export type Page = Rows;
