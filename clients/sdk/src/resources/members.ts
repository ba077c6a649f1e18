import { path } from '../addresses.js';
import type { AuthorizedApi } from '../authorized-api.js';
import type { CreateMemberBody, UpdateMemberBody, UpdateProfileBody } from '../bodies.js';
import { idempotencyHeader } from '../idempotency.js';
import type { Page, PageQuery } from '../pages.js';
import type { MemberView } from '../types.js';

/** The people who answer. Reading is for every agent, changing for admins, and nobody changes those above them. */
export class Members {
  constructor(protected readonly api: AuthorizedApi) {}

  list(query?: PageQuery): Promise<Page<MemberView>> {
    return this.api.get('/v1/workspace/members', query);
  }

  get(id: string): Promise<MemberView> {
    return this.api.get(path`/v1/workspace/members/${id}`);
  }

  /** 409 `last_owner` where nobody would own the workspace any more; for `deactivate` too. */
  update(id: string, body: UpdateMemberBody): Promise<MemberView> {
    return this.api.patch(path`/v1/workspace/members/${id}`, body);
  }

  /** Its tokens and sockets end, its unresolved conversations are free for others. */
  deactivate(id: string): Promise<MemberView> {
    return this.api.post(path`/v1/workspace/members/${id}/deactivate`);
  }

  /** Lets it sign in again; what ended stays ended. */
  reactivate(id: string): Promise<MemberView> {
    return this.api.post(path`/v1/workspace/members/${id}/reactivate`);
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
    return this.api.post('/v1/workspace/members', body, { headers: idempotencyHeader(options.idempotencyKey) });
  }
}
