import type { INestApplication } from '@nestjs/common';
import type { Request, Response } from 'express';
import { answerJson } from '../http/json-answer.js';
import { contextOf, envelope } from '../http/request-context.js';
import { htmlPage, PAGE, STYLESHEET } from './layout.js';
import { renderMarkdown } from './markdown.js';

/** A document that the service serves as a page, in Markdown. */
export interface ServedDocument {
  path: string;
  title: string;
  markdown: string;
}

const NAME = 'Support chat platform';

const LINKS = {
  reference: PAGE.reference,
  openapi: PAGE.openapi,
  realtime: PAGE.realtime,
  asyncapi: PAGE.asyncapi,
  events: PAGE.events,
  health: PAGE.health,
};

const GREETING = `# ${NAME}

The service is running. It answers visitors, agents and backends over REST, and tells them what happens over WebSockets.

- [API reference](${PAGE.reference}), and for programs [openapi.json](${PAGE.openapi})
- [Realtime guide](${PAGE.realtime}): the two sockets, from handshake to close codes
- [Events and frames](${PAGE.events}): what the sockets send and take; for programs [asyncapi.json](${PAGE.asyncapi})
- [Health](${PAGE.health}) of this instance
`;

/**
 * Serves the root, which greets, and the documents. Rendered once each, when the service starts.
 * @param addresses see `renderMarkdown`
 */
export function servePages(
  app: INestApplication,
  documents: ServedDocument[],
  addresses: Record<string, string>,
): void {
  const router = app.getHttpAdapter();
  const serve = (path: string, type: string, text: string) =>
    router.get(path, (_request: Request, response: Response) => send(response, type, text));
  for (const { path, title, markdown } of documents) {
    serve(path, 'html', htmlPage(`${title} · ${NAME}`, renderMarkdown(markdown, addresses)));
  }
  serve(PAGE.stylesheet, 'css', STYLESHEET);
  const greeting = htmlPage(NAME, renderMarkdown(GREETING));
  router.get(PAGE.root, (request: Request, response: Response) => {
    response.vary('Accept');
    if (request.accepts(['json', 'html']) === 'html') return send(response, 'html', greeting);
    response.setHeader('Cache-Control', 'no-store');
    answerJson(response, envelope(contextOf(request).requestId, { name: NAME, links: LINKS }));
  });
}

function send(response: Response, type: string, text: string): void {
  response.setHeader('Cache-Control', 'public, max-age=300');
  response.type(type).send(text);
}
