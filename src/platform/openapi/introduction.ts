import { PAGE } from '../pages/layout.js';

/** The introduction of the API reference, Markdown. */
export const INTRODUCTION = `
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
