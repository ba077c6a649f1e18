import type { INestApplication } from '@nestjs/common';
import {
  AgentTokenRequired,
  ApiKeyRequired,
  Forbidden,
  ScopeTooNarrow,
  VisitorTokenRequired,
} from './kernel/errors.js';
import { ContactBlocked } from './modules/contacts/index.js';
import { ConversationRecordView } from './modules/conversations/conversation.schema.js';
import { ViewSummaryView } from './modules/views/view.schema.js';
import * as frameShapes from './modules/realtime/frames.schema.js';
import type { ApiDocument } from './platform/openapi/document.js';
import { writeDocument } from './platform/openapi/document.js';
import type { DocumentedCredentials } from './platform/openapi/failures.js';
import { PAGE } from './platform/pages/layout.js';

/** The introduction of the API reference, Markdown. */
const INTRODUCTION = `
The API of a support chat between visitors, agents and servers. Clients change data over REST and receive events over
two WebSockets.

| Caller | Credential, as \`Authorization: Bearer …\` | Obtained from |
|---|---|---|
| visitor | visitor token, 24 hours | \`POST /v1/widget/session\` |
| agent | access token, 15 minutes | \`POST /v1/auth/login\`, then \`POST /v1/auth/refresh\` |
| server | API key | \`POST /v1/api-keys\` |

- **Responses** are \`{ok: true, request_id, timestamp, data}\` or \`{ok: false, request_id, timestamp, error: {code,
message, details?}}\`. Branch on \`error.code\`: it never changes. Refresh a token on \`token_expired\` alone.
- **Lists** take \`limit\` and \`cursor\`, and return \`{items, next_cursor}\`. \`next_cursor\` is
\`null\` on the last page.
- **Bodies** are JSON; unknown fields are ignored. In a PATCH \`null\` clears a field; elsewhere it is refused.
- **Retries** are safe: send an \`Idempotency-Key\` with requests that create, and a \`client_message_id\` with
messages.
- **Rate limits** are in \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\`, and in \`Retry-After\`
on 429.
- **WebSockets**: \`/ws/visitor\` and \`/ws/agent\`, with the token as \`?token=\`. See
[the realtime guide](${PAGE.realtime}), [events and frames](${PAGE.events}) and, as AsyncAPI 3.0,
[asyncapi.json](${PAGE.asyncapi}).
`.trim();

const STAFF_REFUSALS = [Forbidden, ScopeTooNarrow];
const CREDENTIALS: DocumentedCredentials = {
  agent: {
    scheme: { bearerFormat: 'JWT', description: 'Agent access token' },
    required: AgentTokenRequired,
    refusals: STAFF_REFUSALS,
  },
  visitor: {
    scheme: { bearerFormat: 'JWT', description: 'Visitor token' },
    required: VisitorTokenRequired,
    refusals: [ContactBlocked],
  },
  api_key: {
    scheme: { description: 'API key, svc_sk_…' },
    required: ApiKeyRequired,
    refusals: STAFF_REFUSALS,
  },
};

/** Builds the OpenAPI document of this application, including the schemas of socket frames. */
export function apiDocument(app: INestApplication): ApiDocument {
  const extraModels = [...Object.values(frameShapes), ConversationRecordView, ViewSummaryView];
  return writeDocument(app, { introduction: INTRODUCTION, credentials: CREDENTIALS, extraModels });
}
