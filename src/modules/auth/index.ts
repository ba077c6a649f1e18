export { toAgentSessionRecord } from './agent-session.js';
export type { AgentSessionRecord, SignIn } from './agent-session.js';
export { DeactivatedMembersToken, InvalidCredentials, MemberDeactivated } from './auth.errors.js';
export { AuthModule } from './auth.module.js';
export { loginGuesses, loginSuccesses } from './login-guesses.js';
export { PassportAuthenticatorService } from './passport-authenticator.service.js';
export { SignInService } from './sign-in.service.js';
export type { VisitorClaims } from './token.service.js';
export { channelGenerationIn, TokenService, VISITOR_SECONDS } from './token.service.js';
