import { path } from '../addresses.js';
import type { AuthorizedApi } from '../authorized-api.js';
import type { RenderedCannedResponseView } from '../types.js';
import { Resource } from './resource.js';

/** Prepared answers that agents find by their short code. */
export class CannedResponses extends Resource<'/v1/canned-responses'> {
  constructor(api: AuthorizedApi) {
    super(api, '/v1/canned-responses');
  }

  /** Returns the text with the variables of a conversation filled in, and the names of variables without a value. */
  render(id: string, conversationId: string): Promise<RenderedCannedResponseView> {
    return this.api.post(path`/v1/canned-responses/${id}/render`, { conversation_id: conversationId });
  }
}
