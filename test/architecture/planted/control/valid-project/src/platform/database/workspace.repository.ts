import { DataSource } from 'typeorm';
import type { Pool } from 'pg';
import { env } from '../../config/env.js';

export class WorkspaceRepository {
  constructor(
    readonly source: DataSource,
    readonly pool: Pool,
    readonly root = env.root,
  ) {}
}
