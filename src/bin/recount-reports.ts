import 'reflect-metadata';
import { createApp, logFor } from '../app.js';
import { loadConfig } from '../config/config.js';
import { ReportRecountsService } from '../modules/reports/index.js';
import { openDatabase } from '../platform/database/open-database.js';

/** Clears the facts of all reports. Running instances count them anew from the tables. */
const config = loadConfig();
const log = logFor(config);
const database = await openDatabase(config, log);
const app = await createApp({ ...config, databaseUrl: database.url, databaseQueryTimeoutMs: 0 }, log);
await app.get(ReportRecountsService, { strict: false }).begin();
console.log('reports are being counted anew; running instances need some minutes for it');
await app.close();
await database.close();
process.exit(0);
