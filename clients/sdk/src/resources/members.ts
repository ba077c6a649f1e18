import { path } from '../addresses.js';
import type { AuthorizedApi } from '../authorized-api.js';
import type { CreateMemberBody, UpdateMemberBody, UpdateProfileBody } from '../bodies.js';
import { idempotencyHeader } from '../idempotency.js';
import type { Page, PageQuery } from '../pages.js';
import type { MemberView, ProfileView } from '../types.js';

/** Members. Every agent can read them; admins can change members of their own role or below. */
export class Members {
  constructor(protected readonly api: AuthorizedApi) {}

  list(query?: PageQuery): Promise<Page<MemberView>> {
    return this.api.get('/v1/workspace/members', query);
  }

  get(id: string): Promise<MemberView> {
    return this.api.get(path`/v1/workspace/members/${id}`);
  }

  /**
   * Changes a member.
   * @throws ApiError 409 `last_owner` if the workspace would have no owner, also from `deactivate`
   */
  update(id: string, body: UpdateMemberBody): Promise<MemberView> {
    return this.api.patch(path`/v1/workspace/members/${id}`, body);
  }

  /** Deactivates a member: its tokens and sockets end, its unresolved conversations become unassigned. */
  deactivate(id: string): Promise<MemberView> {
    return this.api.post(path`/v1/workspace/members/${id}/deactivate`);
  }

  /** Lets a member sign in again; ended sessions stay ended. */
  reactivate(id: string): Promise<MemberView> {
    return this.api.post(path`/v1/workspace/members/${id}/reactivate`);
  }
}

/** Members as an agent sees them, including itself. */
export class AgentMembers extends Members {
  /** The caller's own member, with its notification settings. */
  getMe(): Promise<ProfileView> {
    return this.api.get('/v1/workspace/members/me');
  }

  updateMe(body: UpdateProfileBody): Promise<ProfileView> {
    return this.api.patch('/v1/workspace/members/me', body);
  }
}

/** Members as an API key manages them; only a key can create members. */
export class ServerMembers extends Members {
  /** Creates a member without registration. For a day, the same `idempotencyKey` returns the same member. */
  create(body: CreateMemberBody, options: { idempotencyKey?: string } = {}): Promise<MemberView> {
    return this.api.post('/v1/workspace/members', body, { headers: idempotencyHeader(options.idempotencyKey) });
  }
}
