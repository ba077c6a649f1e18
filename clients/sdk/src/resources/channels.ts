import { path } from '../addresses.js';
import type { AuthorizedApi } from '../authorized-api.js';
import type { UpdateChannelBody, CreateChannelBody } from '../bodies.js';
import { idempotencyHeader } from '../idempotency.js';
import type { Page, PageQuery } from '../pages.js';
import type { ChannelView, ChannelWithSecretView, DeletedView } from '../types.js';

/** The places where visitors meet the workspace. Reading is for every agent, changing for admins. */
export class Channels {
  constructor(private readonly api: AuthorizedApi) {}

  list(query?: PageQuery): Promise<Page<ChannelView>> {
    return this.api.get('/v1/channels', query);
  }

  get(id: string): Promise<ChannelView> {
    return this.api.get(path`/v1/channels/${id}`);
  }

  /** The identity secret is in this answer and in no other; the same `idempotencyKey` makes one channel. */
  create(body: CreateChannelBody, options: { idempotencyKey?: string } = {}): Promise<ChannelWithSecretView> {
    return this.api.post('/v1/channels', body, { headers: idempotencyHeader(options.idempotencyKey) });
  }

  update(id: string, body: UpdateChannelBody): Promise<ChannelView> {
    return this.api.patch(path`/v1/channels/${id}`, body);
  }

  /** Its conversations stay readable, its visitors' sessions end. */
  delete(id: string): Promise<DeletedView> {
    return this.api.delete(path`/v1/channels/${id}`);
  }

  /**
   * A new public token: pages that carry the old one open no more sessions.
   * @param options `endSessions` also ends every visitor session that is open
   */
  rotateToken(id: string, options: { endSessions?: boolean } = {}): Promise<ChannelView> {
    const query = { end_sessions: options.endSessions || undefined };
    return this.api.post(path`/v1/channels/${id}/rotate-token`, undefined, { query });
  }

  /** Identity tokens that the old secret signed, and the sessions that they proved, are refused from now on. */
  rotateIdentitySecret(id: string): Promise<ChannelWithSecretView> {
    return this.api.post(path`/v1/channels/${id}/rotate-identity-secret`);
  }
}
