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

/** A fresh token on an open socket, so that it need not close when the old one ends. */
@Injectable()
export class RenewalService {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly hub: SocketHub,
    private readonly rescoping: RescopingService,
  ) {}

  /**
   * The same principal with the same scope keeps its socket, and is told until when; another one loses it (4502). A
   * token that is worth nothing is an error, and the socket ends when it would have ended.
   * @throws ValidationFailed, InvalidToken, TokenExpired, TokenRevoked and what else a handshake is refused with
   */
  async renew(connection: SocketConnection, fields: Record<string, unknown>): Promise<void> {
    const { token } = fields;
    if (typeof token !== 'string' || token === '') throw missingToken();
    const kind = connection.admission.audience;
    const askedAt = performance.now();
    const fresh = await this.authenticator.authenticate(token, [kind]);
    if (connection.closedAt !== null || !this.hub.connections.has(connection)) return;
    const { principal } = connection.admission;
    if (!isSame(fresh, principal)) return this.hub.evict(connection, 'accessRevoked');
    const former = topicsOf(principal);
    for (const [index, topic] of topicsOf(fresh).entries()) {
      const from = former[index];
      if (from !== undefined) this.hub.replaceTopic(connection, from, topic, askedAt);
    }
    this.rescoping.adopt(connection, fresh, askedAt);
    const expiresAt = 'expiresAt' in fresh ? fresh.expiresAt : null;
    connection.admission = { ...connection.admission, expiresAt };
    connection.warnedOfExpiry = false;
    connection.send(ephemeralFrame('authenticated', { expires_at: expiresAt && toWireTime(expiresAt) }));
  }
}

/** The topics that close when what the principal came with is refused. */
function topicsOf(principal: Principal): string[] {
  if (principal.kind === 'agent') return [topics.session(principal.sessionId)];
  return principal.kind === 'visitor' ? tokenTopics(principal) : [];
}

/** What the socket hears follows from these, and was settled when it opened. */
function isSame(fresh: Principal, present: Principal): boolean {
  const what = (principal: Principal) => [
    principal.workspaceId,
    principalKey(principal),
    principal.kind === 'agent' ? sorted(principal.sessionScope) : sorted(scopeOf(principal)),
  ];
  return JSON.stringify(what(fresh)) === JSON.stringify(what(present));
}

function sorted(scope: readonly string[] | null): string[] | null {
  return scope && [...scope].sort();
}

function missingToken(): Error {
  return new ValidationFailed({ details: [{ field: 'token', code: 'required', message: 'token must be a text' }] });
}
