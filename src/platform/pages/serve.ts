import type { INestApplication } from '@nestjs/common';
import type { Request, Response } from 'express';
import { answerJson } from '../http/json-answer.js';
import { contextOf, envelope } from '../request/request-context.js';
import { htmlPage, PAGE, STYLESHEET } from './layout.js';
import { renderMarkdown } from './markdown.js';

/** A Markdown document that the service serves as a page. */
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

const HOME_PAGE = `# ${NAME}

The service is running. Clients use its REST API, and receive events over WebSockets.

- [API reference](${PAGE.reference}); machine-readable: [openapi.json](${PAGE.openapi})
- [Realtime guide](${PAGE.realtime}): the two sockets, from handshake to close codes
- [Events and frames](${PAGE.events}): all frames of the sockets; machine-readable: [asyncapi.json](${PAGE.asyncapi})
- [Health](${PAGE.health}) of this instance
`;

/**
 * Serves the home page and the documents. Each is rendered once, when the service starts.
 * @param linkTargets see `renderMarkdown`
 */
export function servePages(
  app: INestApplication,
  documents: ServedDocument[],
  linkTargets: Record<string, string>,
): void {
  const router = app.getHttpAdapter();
  const serve = (path: string, type: string, text: string) =>
    router.get(path, (_request: Request, response: Response) => send(response, type, text));
  for (const { path, title, markdown } of documents) {
    serve(path, 'html', htmlPage(`${title} · ${NAME}`, renderMarkdown(markdown, linkTargets)));
  }
  serve(PAGE.stylesheet, 'css', STYLESHEET);
  const home = htmlPage(NAME, renderMarkdown(HOME_PAGE));
  router.get(PAGE.root, (request: Request, response: Response) => {
    response.vary('Accept');
    if (request.accepts(['json', 'html']) === 'html') return send(response, 'html', home);
    response.setHeader('Cache-Control', 'no-store');
    answerJson(response, envelope(contextOf(request).requestId, { name: NAME, links: LINKS }));
  });
}

function send(response: Response, type: string, text: string): void {
  response.setHeader('Cache-Control', 'public, max-age=300');
  response.type(type).send(text);
}
