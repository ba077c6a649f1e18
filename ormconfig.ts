import 'reflect-metadata';
import { DataSource } from 'typeorm';
import { SCHEMA } from './src/app.module.js';
import { loadConfig } from './src/config/config.js';
import { dataSourceOptions } from './src/platform/database/data-source.js';

/**
 * The data source of the TypeORM command line, e.g. `npm run typeorm -- migration:show`. It needs DATABASE_URL. The
 * service itself runs migrations when it starts.
 */
const { databaseUrl, databaseDirectUrl } = loadConfig();
const url = databaseDirectUrl ?? databaseUrl;
if (url === null) throw new Error('Set DATABASE_URL: the TypeORM command line cannot start the embedded database.');

export default new DataSource(dataSourceOptions({ url, poolSize: 2, queryTimeoutMs: 0 }, SCHEMA));
