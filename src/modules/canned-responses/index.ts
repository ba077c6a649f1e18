export type { CannedResponseRecord } from './canned-response.js';
export { CannedResponsesModule } from './canned-responses.module.js';
