import { path } from '../addresses.js';
import type { AuthorizedApi } from '../authorized-api.js';
import type { ListTagsQuery } from '../bodies.js';
import type { Page } from '../pages.js';
import type { DeletedView, TagNameView, TagView } from '../types.js';

/** Tags of the workspace. A conversation gets one by `conversations.update`; the first use creates it. */
export class Tags {
  constructor(private readonly api: AuthorizedApi) {}

  list(query?: ListTagsQuery): Promise<Page<TagView>> {
    return this.api.get('/v1/tags', query);
  }

  /** Renames a tag on all conversations, or merges it into the tag of that name. Needs an admin or a key. */
  rename(from: string, to: string): Promise<TagNameView> {
    return this.api.post('/v1/tags/rename', { from, to });
  }

  /** Deletes a tag, also from its conversations. Needs an admin or a key. */
  delete(name: string): Promise<DeletedView> {
    return this.api.delete(path`/v1/tags/${name}`);
  }
}
