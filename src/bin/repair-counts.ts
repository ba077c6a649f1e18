import 'reflect-metadata';
import { createApp, logFor } from '../app.js';
import { loadConfig } from '../config/config.js';
import { MemberLoadsRepairService } from '../modules/assignment/index.js';
import { ConversationCountsRepairService } from '../modules/conversations/index.js';
import { openDatabase } from '../platform/database/open-database.js';

/** Checks the stored inbox counts and the loads of members, and corrects those that are wrong. */
const config = loadConfig();
const log = logFor(config);
const database = await openDatabase(config, log);
const app = await createApp({ ...config, databaseUrl: database.url, databaseQueryTimeoutMs: 0 }, log);
const repairs = [ConversationCountsRepairService, MemberLoadsRepairService];
let wrong = 0;
for (const repair of repairs) {
  wrong += await app
    .get<ConversationCountsRepairService | MemberLoadsRepairService>(repair, { strict: false })
    .repair();
}
console.log(wrong === 0 ? 'all counts are right' : `${wrong} counts were wrong and have been corrected`);
await app.close();
await database.close();
process.exit(0);
