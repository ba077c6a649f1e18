import { path } from '../addresses.js';
import type { AuthorizedApi } from '../authorized-api.js';
import type { CreateMemberBody, UpdateProfileBody } from '../bodies.js';
import { idempotent } from '../once.js';
import type { Page, PageQuery } from '../pages.js';
import type { MemberView } from '../types.js';

/** The people who answer. */
export class Members {
  constructor(protected readonly api: AuthorizedApi) {}

  list(query?: PageQuery): Promise<Page<MemberView>> {
    return this.api.get('/v1/workspace/members', query);
  }

  get(id: string): Promise<MemberView> {
    return this.api.get(path`/v1/workspace/members/${id}`);
  }
}

/** Those of an agent, who is one of them. */
export class AgentMembers extends Members {
  updateMe(body: UpdateProfileBody): Promise<MemberView> {
    return this.api.patch('/v1/workspace/members/me', body);
  }
}

/** Those of an API key, which alone may make members. */
export class ServerMembers extends Members {
  /** Makes a member without registration; the same `idempotencyKey` makes one and answers it again for a day. */
  create(body: CreateMemberBody, options: { idempotencyKey?: string } = {}): Promise<MemberView> {
    return this.api.post('/v1/workspace/members', body, { headers: idempotent(options.idempotencyKey) });
  }
}
