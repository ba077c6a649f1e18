import type { AuthorizedApi } from '../authorized-api.js';
import type { ViewCountsView } from '../types.js';
import { Resource } from './resource.js';

/** Saved filters of the inbox: shared ones, and the caller's own. */
export class Views extends Resource<'/v1/views'> {
  constructor(api: AuthorizedApi) {
    super(api, '/v1/views');
  }

  /** Counts the conversations of every view; each count stops at 100. */
  counts(): Promise<ViewCountsView> {
    return this.api.get('/v1/views/counts');
  }
}
