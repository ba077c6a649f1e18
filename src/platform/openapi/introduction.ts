import { PAGE } from '../pages/layout.js';

/** What a reader of the reference is to know before the first route. Markdown. */
export const INTRODUCTION = `
Visitors, agents and servers talk with each other: REST for what is done, two WebSockets for what happens.

| Who | Credential, as \`Authorization: Bearer …\` | From |
|---|---|---|
| visitor | visitor token, 24 hours | \`POST /v1/widget/session\` |
| agent | access token, 15 minutes | \`POST /v1/auth/login\`, then \`POST /v1/auth/refresh\` |
| server | API key | \`POST /v1/api-keys\` |

- **Answers** are \`{ok: true, request_id, timestamp, data}\` or \`{ok: false, request_id, timestamp, error: {code,
message, details?}}\`. Branch on \`error.code\`: it never changes. Refresh a token on \`token_expired\` alone.
- **Lists** take \`limit\` and \`cursor\`, and answer \`{items, next_cursor}\`; the last page has \`null\`.
- **Bodies** are JSON; unknown fields are ignored. \`null\` clears a field by PATCH, and is refused elsewhere.
- **Twice** is once: an \`Idempotency-Key\` for what creates, a \`client_message_id\` for what is said.
- **Limits** are told by \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\`, and by \`Retry-After\` on 429.
- **Live**: \`/ws/visitor\` and \`/ws/agent\`, with the token as \`?token=\`. How the sockets work:
[the realtime guide](${PAGE.realtime}). What they send: [events and frames](${PAGE.events}). For programs:
[asyncapi.json](${PAGE.asyncapi}), AsyncAPI 3.0.
`.trim();
