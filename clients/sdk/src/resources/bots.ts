import { path } from '../addresses.js';
import type { AuthorizedApi } from '../authorized-api.js';
import type { CreateBotBody, UpdateBotBody } from '../bodies.js';
import { idempotencyHeader } from '../idempotency.js';
import type { Page, PageQuery } from '../pages.js';
import type { BotView, BotWithSecretView, DeletedView } from '../types.js';

/** The machines that answer. Reading is for every agent, changing for admins. */
export class Bots {
  constructor(private readonly api: AuthorizedApi) {}

  list(query?: PageQuery): Promise<Page<BotView>> {
    return this.api.get('/v1/bots', query);
  }

  get(id: string): Promise<BotView> {
    return this.api.get(path`/v1/bots/${id}`);
  }

  /** The secret that signs its deliveries is in this answer; the same `idempotencyKey` makes one bot. */
  create(body: CreateBotBody, options: { idempotencyKey?: string } = {}): Promise<BotWithSecretView> {
    return this.api.post('/v1/bots', body, { headers: idempotencyHeader(options.idempotencyKey) });
  }

  update(id: string, body: UpdateBotBody): Promise<BotView> {
    return this.api.patch(path`/v1/bots/${id}`, body);
  }

  /** People take over its conversations; its messages stay. */
  delete(id: string): Promise<DeletedView> {
    return this.api.delete(path`/v1/bots/${id}`);
  }

  /** Deliveries that the old secret signed are worth nothing from now on. */
  rotateSecret(id: string): Promise<BotWithSecretView> {
    return this.api.post(path`/v1/bots/${id}/rotate-secret`);
  }
}
