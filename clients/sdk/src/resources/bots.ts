import { path } from '../addresses.js';
import type { AuthorizedApi } from '../authorized-api.js';
import type { CreateBotBody, UpdateBotBody } from '../bodies.js';
import { idempotencyHeader } from '../idempotency.js';
import type { Page, PageQuery } from '../pages.js';
import type { BotView, BotWithSecretView, DeletedView } from '../types.js';

/** Bots. Every agent can read them, admins can change them. */
export class Bots {
  constructor(private readonly api: AuthorizedApi) {}

  list(query?: PageQuery): Promise<Page<BotView>> {
    return this.api.get('/v1/bots', query);
  }

  get(id: string): Promise<BotView> {
    return this.api.get(path`/v1/bots/${id}`);
  }

  /**
   * Creates a bot. The response contains the secret that signs its deliveries; one `idempotencyKey` creates one bot.
   */
  create(body: CreateBotBody, options: { idempotencyKey?: string } = {}): Promise<BotWithSecretView> {
    return this.api.post('/v1/bots', body, { headers: idempotencyHeader(options.idempotencyKey) });
  }

  update(id: string, body: UpdateBotBody): Promise<BotView> {
    return this.api.patch(path`/v1/bots/${id}`, body);
  }

  /** Deletes a bot. Its conversations go to the agents; its messages stay. */
  delete(id: string): Promise<DeletedView> {
    return this.api.delete(path`/v1/bots/${id}`);
  }

  /** Replaces the secret; signatures of the old secret become invalid. */
  rotateSecret(id: string): Promise<BotWithSecretView> {
    return this.api.post(path`/v1/bots/${id}/rotate-secret`);
  }
}
