import 'reflect-metadata';
import { createApp, logFor } from '../app.js';
import { loadConfig } from '../config/config.js';
import { openDatabase } from '../platform/database/open-database.js';
import { KeyRotationService } from '../platform/encryption/key-rotation.service.js';
import { needsMissingKey, printKeyUse } from '../platform/encryption/key-use.js';

/** Re-encrypts stored texts under the first of ENCRYPTION_KEYS, and prints which of the other keys are still needed. */
const config = loadConfig();
const log = logFor(config);
const database = await openDatabase(config, log);
const app = await createApp({ ...config, databaseUrl: database.url, databaseQueryTimeoutMs: 0 }, log);
const rotation = app.get(KeyRotationService, { strict: false });
const rewritten = await rotation.run(line => console.log(line));
console.log(rewritten === 0 ? 'no text was under an older key' : `${rewritten} rewritten in all`);
const keyIds = config.encryptionKeys.map(({ id }) => id);
const uses = await rotation.findKeyUses();
for (const line of printKeyUse(uses, keyIds)) console.log(line);
await app.close();
await database.close();
process.exit(needsMissingKey(uses, keyIds) ? 1 : 0);
