import { path } from '../addresses.js';
import type { AuthorizedApi } from '../authorized-api.js';
import type { CreateCannedResponseBody, ListCannedResponsesQuery, UpdateCannedResponseBody } from '../bodies.js';
import type { Page } from '../pages.js';
import type { CannedResponseView, DeletedView, RenderedCannedResponseView } from '../types.js';

/** Prepared answers that agents find by their short code. */
export class CannedResponses {
  constructor(private readonly api: AuthorizedApi) {}

  list(query?: ListCannedResponsesQuery): Promise<Page<CannedResponseView>> {
    return this.api.get('/v1/canned-responses', query);
  }

  create(body: CreateCannedResponseBody): Promise<CannedResponseView> {
    return this.api.post('/v1/canned-responses', body);
  }

  update(id: string, body: UpdateCannedResponseBody): Promise<CannedResponseView> {
    return this.api.patch(path`/v1/canned-responses/${id}`, body);
  }

  delete(id: string): Promise<DeletedView> {
    return this.api.delete(path`/v1/canned-responses/${id}`);
  }

  /** Returns the text with the variables of a conversation filled in, and the names of variables without a value. */
  render(id: string, conversationId: string): Promise<RenderedCannedResponseView> {
    return this.api.post(path`/v1/canned-responses/${id}/render`, { conversation_id: conversationId });
  }
}
