import { apiDocument } from '../../src/api-document.js';
import { createApp } from '../../src/app.js';
import { loadConfig } from '../../src/config/config.js';
import type { ApiDocument } from '../../src/platform/openapi/document.js';

/** The API reference as the code says it now; nothing runs for it, and no database is asked. */
export async function presentReference(): Promise<ApiDocument> {
  const config = loadConfig({
    LOG_LEVEL: 'silent',
    DATABASE_URL: 'postgres://nowhere.invalid/none',
    JWT_SECRETS: 'x'.repeat(32),
    ENCRYPTION_KEYS: 'y'.repeat(32),
  });
  const preview = await createApp(config, undefined, { preview: true });
  const document = apiDocument(preview);
  await preview.close();
  return document;
}
