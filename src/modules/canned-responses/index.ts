export type { CannedResponseRecord } from './canned-response.js';
export { CannedResponsesModule } from './canned-responses.module.js';
export { CANNED_RESPONSE_EVENTS } from './canned-responses.events.js';
