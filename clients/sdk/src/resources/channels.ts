import { path } from '../addresses.js';
import type { AuthorizedApi } from '../authorized-api.js';
import type { ChannelView, ChannelWithSecretView } from '../types.js';
import { Resource } from './resource.js';

/**
 * Channels. Every agent can read them, admins can change them. Only the response to `create` has the identity secret.
 * Conversations of a deleted channel stay readable; its visitors' sessions end.
 */
export class Channels extends Resource<'/v1/channels'> {
  constructor(api: AuthorizedApi) {
    super(api, '/v1/channels');
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
