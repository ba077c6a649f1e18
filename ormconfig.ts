import 'reflect-metadata';
import { DataSource } from 'typeorm';
import { SCHEMA } from './src/app.module.js';
import { loadConfig } from './src/config/config.js';
import { dataSourceOptions } from './src/platform/database/data-source.js';

/**
 * The data source of the TypeORM command line: `npm run typeorm -- migration:show`. It needs DATABASE_URL; the service
 * itself migrates at start.
 */
const { databaseUrl, databaseDirectUrl } = loadConfig();
const url = databaseDirectUrl ?? databaseUrl;
if (url === null) throw new Error('Set DATABASE_URL: the TypeORM command line does not start the embedded database.');

export default new DataSource(dataSourceOptions({ url, poolSize: 2, queryTimeoutMs: 0 }, SCHEMA));
