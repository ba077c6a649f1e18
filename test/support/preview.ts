import { apiDocument } from '../../src/api-document.js';
import type { App } from '../../src/app.js';
import { createApp } from '../../src/app.js';
import { loadConfig } from '../../src/config/config.js';
import type { ApiDocument } from '../../src/platform/openapi/document.js';

/** Builds the app without starting it: nothing runs, and no database is queried. */
export function previewApp(): Promise<App> {
  const config = loadConfig({
    LOG_LEVEL: 'silent',
    DATABASE_URL: 'postgres://nowhere.invalid/none',
    JWT_SECRETS: 'x'.repeat(32),
    ENCRYPTION_KEYS: 'y'.repeat(32),
  });
  return createApp(config, undefined, { preview: true });
}

/** The API reference of the current code. */
export async function writeReference(): Promise<ApiDocument> {
  const preview = await previewApp();
  const document = apiDocument(preview);
  await preview.close();
  return document;
}
