export { ContactBlocked, DeactivatedMembersToken, MemberDeactivated } from './auth.errors.js';
export type { SessionEnded, SessionStarted } from './auth.events.js';
export { AuthModule } from './auth.module.js';
export { PassportAuthenticator } from './passport-authenticator.service.js';
export { SessionsService } from './sessions.service.js';
export type { VisitorClaims } from './token.service.js';
export { TokenService, VISITOR_SECONDS } from './token.service.js';
