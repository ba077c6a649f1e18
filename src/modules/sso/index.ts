export type { SsoTicketIssued } from './sso.events.js';
export { SsoModule } from './sso.module.js';
