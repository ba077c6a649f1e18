import { path } from '../addresses.js';
import type { AuthorizedApi } from '../authorized-api.js';
import type { UpdateChannelBody, CreateChannelBody } from '../bodies.js';
import { idempotencyHeader } from '../idempotency.js';
import type { Page, PageQuery } from '../pages.js';
import type { ChannelView, ChannelWithSecretView, DeletedView } from '../types.js';

/** Channels. Every agent can read them, admins can change them. */
export class Channels {
  constructor(private readonly api: AuthorizedApi) {}

  list(query?: PageQuery): Promise<Page<ChannelView>> {
    return this.api.get('/v1/channels', query);
  }

  get(id: string): Promise<ChannelView> {
    return this.api.get(path`/v1/channels/${id}`);
  }

  /** Creates a channel. Only this response contains the identity secret; one `idempotencyKey` creates one channel. */
  create(body: CreateChannelBody, options: { idempotencyKey?: string } = {}): Promise<ChannelWithSecretView> {
    return this.api.post('/v1/channels', body, { headers: idempotencyHeader(options.idempotencyKey) });
  }

  update(id: string, body: UpdateChannelBody): Promise<ChannelView> {
    return this.api.patch(path`/v1/channels/${id}`, body);
  }

  /** Deletes a channel. Its conversations stay readable; its visitors' sessions end. */
  delete(id: string): Promise<DeletedView> {
    return this.api.delete(path`/v1/channels/${id}`);
  }

  /**
   * Replaces the public token. Pages with the old token cannot open new sessions.
   * @param options `endSessions` also ends all open visitor sessions
   */
  rotateToken(id: string, options: { endSessions?: boolean } = {}): Promise<ChannelView> {
    const query = { end_sessions: options.endSessions || undefined };
    return this.api.post(path`/v1/channels/${id}/rotate-token`, undefined, { query });
  }

  /**
   * Replaces the identity secret. Identity tokens of the old secret, and the sessions that they proved, become invalid.
   */
  rotateIdentitySecret(id: string): Promise<ChannelWithSecretView> {
    return this.api.post(path`/v1/channels/${id}/rotate-identity-secret`);
  }
}
