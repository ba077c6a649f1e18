import { readFileSync } from 'node:fs';
import type { INestApplication } from '@nestjs/common';
import { eventsDocument } from './events-document.js';
import { PAGE } from './platform/pages/layout.js';
import { servePages } from './platform/pages/serve.js';

/** The same in sources and in the build, which lie side by side. */
const REALTIME = new URL('../docs/REALTIME.md', import.meta.url);

/** Where the service serves what its documents link to. */
const ADDRESSES = { 'generated/asyncapi.json': PAGE.asyncapi, 'generated/events.md': PAGE.events };

/** The pages of this application. @throws when docs/REALTIME.md is not installed beside the build */
export function serveDocumentPages(app: INestApplication): void {
  const documents = [
    { path: PAGE.realtime, title: 'Realtime guide', markdown: readFileSync(REALTIME, 'utf8') },
    { path: PAGE.events, title: 'Events and frames', markdown: eventsDocument() },
  ];
  servePages(app, documents, ADDRESSES);
}
