import 'reflect-metadata';
import { SCHEMA } from '../app.module.js';
import { loadConfig } from '../config/config.js';
import { migrate } from '../platform/database/migrate.js';
import { openDatabase } from '../platform/database/open-database.js';

const print = (line: string): void => console.log(line);
const config = loadConfig();
const database = await openDatabase(config, { info: print, warn: print, error: print });
const ran = await migrate(config.databaseDirectUrl ?? database.url, SCHEMA, print);
print(ran.length === 0 ? 'the schema is up to date' : `${ran.length} migrations ran`);
await database.close();
