import { readFileSync } from 'node:fs';
import type { INestApplication } from '@nestjs/common';
import { eventsDocument } from './events-document.js';
import { PAGE } from './platform/pages/layout.js';
import { servePages } from './platform/pages/serve.js';

/** Resolves to the same file from `src` and from `dist`, which are sibling folders. */
const REALTIME = new URL('../docs/REALTIME.md', import.meta.url);

/** The served paths of files that the documents link to. */
const LINK_TARGETS = { 'generated/asyncapi.json': PAGE.asyncapi, 'generated/events.md': PAGE.events };

/** Serves the document pages. @throws Error when docs/REALTIME.md is missing beside the build */
export function serveDocumentPages(app: INestApplication): void {
  const documents = [
    { path: PAGE.realtime, title: 'Realtime guide', markdown: readFileSync(REALTIME, 'utf8') },
    { path: PAGE.events, title: 'Events and frames', markdown: eventsDocument() },
  ];
  servePages(app, documents, LINK_TARGETS);
}
