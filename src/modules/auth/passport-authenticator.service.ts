import { Injectable } from '@nestjs/common';
import {
  AgentTokenRequired,
  ApiKeyRequired,
  InvalidToken,
  Unauthenticated,
  VisitorTokenRequired,
} from '../../kernel/errors.js';
import { Clock } from '../../kernel/clock.js';
import type { CredentialKind, Principal } from '../../kernel/principal.js';
import { Authenticator } from '../../platform/access/authenticator.js';
import { looksLikeApiKey } from '../api-keys/index.js';
import type { PrincipalStates } from './principal-states.js';
import { SessionsRepository } from './sessions.repository.js';
import { AgentStrategy } from './strategies/agent.strategy.js';
import { ApiKeyStrategy } from './strategies/api-key.strategy.js';
import type { TokenRequest } from './strategies/token-request.js';
import { VisitorStrategy } from './strategies/visitor.strategy.js';
import { TokenService } from './token.service.js';
import type { Credential } from './verified-credentials.store.js';
import { VerifiedCredentialsStore } from './verified-credentials.store.js';

const REQUIRED = { agent: AgentTokenRequired, api_key: ApiKeyRequired, visitor: VisitorTokenRequired } as const;

interface PassportLike {
  authenticate(request: never): unknown;
}

interface PassportOutcome {
  success: (principal: unknown) => void;
  fail: () => void;
  error: (error: unknown) => void;
}

/**
 * Chooses the strategy by the token's shape. A credential of a kind that the route does not accept counts as missing.
 */
@Injectable()
export class PassportAuthenticatorService extends Authenticator {
  private readonly strategies: Record<CredentialKind, PassportLike>;

  constructor(
    private readonly tokens: TokenService,
    private readonly verified: VerifiedCredentialsStore,
    private readonly sessions: SessionsRepository,
    private readonly clock: Clock,
    private readonly agent: AgentStrategy,
    private readonly visitor: VisitorStrategy,
    apiKey: ApiKeyStrategy,
  ) {
    super();
    this.strategies = { agent, visitor, api_key: apiKey };
  }

  /** @param states reads the state of sessions and visitors; a handshake reads more with it */
  async authenticate(
    token: string | null,
    accepts: readonly CredentialKind[],
    states: PrincipalStates = this.sessions,
  ): Promise<Principal> {
    if (token === null) throw new Unauthenticated();
    const known = this.verified.find(token, this.clock.now());
    const kind = known?.kind ?? this.kindOf(token);
    if (kind === undefined) throw new InvalidToken();
    if (kind === 'refresh' || !accepts.includes(kind)) throw new REQUIRED[accepts[0] ?? 'agent']();
    return known ? this.principalOf(known, states) : attempt(this.strategies[kind], { token, states });
  }

  private principalOf({ kind, claims }: Credential, states: PrincipalStates): Promise<Principal> {
    return kind === 'agent' ? this.agent.principalOf(claims, states) : this.visitor.principalOf(claims, states);
  }

  private kindOf(token: string): CredentialKind | 'refresh' | undefined {
    if (looksLikeApiKey(token)) return 'api_key';
    const audience = this.tokens.audienceOf(token);
    return audience === 'agent' || audience === 'visitor' || audience === 'refresh' ? audience : undefined;
  }
}

/**
 * Runs one strategy like passport's middleware, on a copy with its callbacks set. The middleware itself keeps one
 * registry per process and needs an HTTP response, which a socket handshake lacks.
 */
function attempt(strategy: PassportLike, request: TokenRequest): Promise<Principal> {
  return new Promise((resolve, reject) => {
    const run = Object.create(strategy) as PassportLike & PassportOutcome;
    run.success = principal => resolve(principal as Principal);
    run.fail = () => reject(new InvalidToken());
    run.error = error => reject(error instanceof Error ? error : new Error(String(error)));
    void run.authenticate(request as never);
  });
}
