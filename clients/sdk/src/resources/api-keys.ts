import { path } from '../addresses.js';
import type { AuthorizedApi } from '../authorized-api.js';
import type { CreateApiKeyBody } from '../bodies.js';
import type { Page, PageQuery } from '../pages.js';
import type { ApiKeyView, CreatedApiKeyView, RevokedView } from '../types.js';

/** API keys of the workspace. */
export class ApiKeys {
  constructor(protected readonly api: AuthorizedApi) {}

  list(query?: PageQuery): Promise<Page<ApiKeyView>> {
    return this.api.get('/v1/api-keys', query);
  }

  /** Revokes a key at once. @param options `endSessions` also ends the sessions that the key opened for members */
  revoke(id: string, options: { endSessions?: boolean } = {}): Promise<RevokedView> {
    return this.api.delete(path`/v1/api-keys/${id}`, { end_sessions: options.endSessions || undefined });
  }
}

/** API keys as an admin manages them; a key cannot create another key. */
export class AgentApiKeys extends ApiKeys {
  /** Creates a key. Only this response contains the secret key. */
  create(body: CreateApiKeyBody): Promise<CreatedApiKeyView> {
    return this.api.post('/v1/api-keys', body);
  }
}
