import { Injectable } from '@nestjs/common';
import { toWireTime } from '../../kernel/clock.js';
import { ValidationFailed } from '../../kernel/errors.js';
import type { Principal } from '../../kernel/principal.js';
import { principalKey, scopeOf } from '../../kernel/principal.js';
import { Authenticator } from '../../platform/access/authenticator.js';
import type { SocketConnection } from '../../platform/sockets/socket-connection.js';
import { SocketHub } from '../../platform/sockets/socket-hub.js';
import { ephemeralFrame } from './ephemeral-frames.js';
import { RescopingService } from './rescoping.service.js';
import { tokenTopics, topics } from './topics.js';

/** Renews the token of an open socket, so that the socket stays open when the old token expires. */
@Injectable()
export class RenewalService {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly hub: SocketHub,
    private readonly rescoping: RescopingService,
  ) {}

  /**
   * Replaces the token and sends `authenticated`. A token of another principal or scope closes the socket (4502). An
   * invalid token is an error and leaves the old expiry unchanged.
   * @throws ValidationFailed, InvalidToken, TokenExpired, TokenRevoked and the other errors of a handshake
   */
  async renew(connection: SocketConnection, fields: Record<string, unknown>): Promise<void> {
    const { token } = fields;
    if (typeof token !== 'string' || token === '') throw missingToken();
    const kind = connection.admission.audience;
    const startedAt = performance.now();
    const fresh = await this.authenticator.authenticate(token, [kind]);
    if (connection.closedAt !== null || !this.hub.connections.has(connection)) return;
    const { principal } = connection.admission;
    if (!isSame(fresh, principal)) return this.hub.evict(connection, 'accessRevoked');
    const former = topicsOf(principal);
    for (const [index, topic] of topicsOf(fresh).entries()) {
      const from = former[index];
      if (from !== undefined) this.hub.replaceTopic(connection, from, topic, startedAt);
    }
    this.rescoping.replacePrincipal(connection, fresh, startedAt);
    const expiresAt = 'expiresAt' in fresh ? fresh.expiresAt : null;
    connection.admission = { ...connection.admission, expiresAt };
    connection.warnedOfExpiry = false;
    connection.send(ephemeralFrame('authenticated', { expires_at: expiresAt && toWireTime(expiresAt) }));
  }
}

/** @returns the topics that close when the principal's session or token is revoked */
function topicsOf(principal: Principal): string[] {
  if (principal.kind === 'agent') return [topics.session(principal.sessionId)];
  return principal.kind === 'visitor' ? tokenTopics(principal) : [];
}

/** Compares the parts of a principal that decide a socket's topics. */
function isSame(fresh: Principal, current: Principal): boolean {
  const identity = (principal: Principal) => [
    principal.workspaceId,
    principalKey(principal),
    principal.kind === 'agent' ? sorted(principal.sessionScope) : sorted(scopeOf(principal)),
  ];
  return JSON.stringify(identity(fresh)) === JSON.stringify(identity(current));
}

function sorted(scope: readonly string[] | null): string[] | null {
  return scope && [...scope].sort();
}

function missingToken(): Error {
  return new ValidationFailed({ details: [{ field: 'token', code: 'required', message: 'token must be a string' }] });
}
