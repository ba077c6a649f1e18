import { path } from '../addresses.js';
import type { AuthorizedApi } from '../authorized-api.js';
import type { BotTestView, BotWithSecretView } from '../types.js';
import { Resource } from './resource.js';

/**
 * Bots. Every agent can read them, admins can change them. A created bot has the secret that signs its deliveries.
 * Conversations of a deleted bot go to the agents; its messages stay.
 */
export class Bots extends Resource<'/v1/bots'> {
  /** @param tests waits for servers of the workspace */
  constructor(
    api: AuthorizedApi,
    private readonly tests: AuthorizedApi,
  ) {
    super(api, '/v1/bots');
  }

  /** Replaces the secret; for 24 hours the old one signs too. */
  rotateSecret(id: string): Promise<BotWithSecretView> {
    return this.api.post(path`/v1/bots/${id}/rotate-secret`);
  }

  /** Sends a test delivery to the bot's server, and returns its answer; nothing is stored. */
  test(id: string): Promise<BotTestView> {
    return this.tests.post(path`/v1/bots/${id}/test`);
  }
}
