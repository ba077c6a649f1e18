import { Injectable } from '@nestjs/common';
import type { Page } from '../../kernel/page.js';
import { decodeIdCursor, encodeCursor, toPage } from '../../kernel/page.js';
import type { Principal, Role } from '../../kernel/principal.js';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { WorkspaceRepository } from '../../platform/database/workspace.repository.js';
import { InviteEntity } from './invite.entity.js';
import type { Invite, InviteStatus } from './invite.js';

const COLUMNS = `id, workspace_id AS "workspaceId", email, role, channel_ids AS "channelIds", status,
  token_hash AS "tokenHash", mailed_token_hash AS "mailedTokenHash", invited_by AS "invitedBy",
  api_key_id AS "apiKeyId", inviter_role AS "inviterRole", expires_at AS "expiresAt", accepted_at AS "acceptedAt", created_at AS "createdAt"`;
/**
 * Creates the pending invite of an e-mail or renews it: of concurrent calls one creates it and the others renew it.
 * Returns no row if the pending invite has a role that the caller may not change ($13).
 */
const ISSUE = statement(`
  INSERT INTO invite (workspace_id, id, email, role, channel_ids, status, token_hash, mailed_token_hash,
                      invited_by, api_key_id, inviter_role, expires_at, created_at)
  VALUES ($1, $2, $3, $4, $5, 'pending', $6, $7, $8, $9, $10, $11, $12)
  ON CONFLICT (workspace_id, email) WHERE status = 'pending' DO UPDATE
    SET role = excluded.role, channel_ids = excluded.channel_ids, token_hash = excluded.token_hash,
        mailed_token_hash = excluded.mailed_token_hash, invited_by = excluded.invited_by,
        api_key_id = excluded.api_key_id, inviter_role = excluded.inviter_role, expires_at = excluded.expires_at
    WHERE invite.role = ANY($13::text[])
  RETURNING ${COLUMNS}`);
const BY_TOKEN = statement(`SELECT ${COLUMNS} FROM invite WHERE token_hash = $1 OR mailed_token_hash = $1`);
/** One statement, so that of concurrent uses of both tokens one finds the invite pending. */
const SPEND = statement(`
  UPDATE invite SET status = 'accepted', accepted_at = $2
  WHERE (token_hash = $1 OR mailed_token_hash = $1) AND status = 'pending' AND expires_at > $2 RETURNING ${COLUMNS}`);
/** Requires the link that was refused to be current: a renewed invite has mailed its own link. */
const SET_MAILED_TOKEN = statement(`
  UPDATE invite SET mailed_token_hash = $4
  WHERE workspace_id = $1 AND id = $2 AND token_hash = $3 AND status = 'pending'`);
const REVOKE_PENDING = statement(`
  UPDATE invite SET status = 'revoked'
  WHERE workspace_id = $1 AND email = $2 AND status = 'pending' RETURNING ${COLUMNS}`);

export interface InviteQuery {
  limit: number;
  cursor?: string | undefined;
  status?: InviteStatus | undefined;
}

@Injectable()
export class InvitesRepository extends WorkspaceRepository<InviteEntity> {
  protected readonly entity = InviteEntity;
  protected readonly alias = 'invite';

  constructor(
    units: UnitOfWork,
    private readonly sql: SqlService,
  ) {
    super(units);
  }

  /** Newest first. @param now separates pending invites from expired ones */
  async findPage(principal: Principal, { limit, cursor, status }: InviteQuery, now: Date): Promise<Page<Invite>> {
    const query = this.visibleTo(principal)
      .orderBy('invite.id', 'DESC')
      .limit(limit + 1);
    if (cursor !== undefined) {
      const before = decodeIdCursor('invites', cursor);
      query.andWhere('invite.id < :before', { before });
    }
    if (status !== undefined) {
      query.andWhere('invite.status = :state', { state: status === 'expired' ? 'pending' : status });
      if (status === 'pending') query.andWhere('invite.expiresAt > :now', { now });
      if (status === 'expired') query.andWhere('invite.expiresAt <= :now', { now });
    }
    return toPage(await query.getMany(), limit, last => encodeCursor('invites', [last.id]));
  }

  /**
   * Creates the invite, or renews the pending one of its e-mail, which keeps its id.
   * @param touchable roles of invites that may be renewed
   * @returns undefined if the pending invite has another role
   */
  issue(invite: Invite, touchable: readonly Role[]): Promise<Invite | undefined> {
    const { workspaceId, id, email, role, channelIds, tokenHash, mailedTokenHash } = invite;
    const { invitedBy, apiKeyId, inviterRole, expiresAt, createdAt } = invite;
    const granted = [workspaceId, id, email, role, channelIds, tokenHash, mailedTokenHash];
    return this.sql.first<Invite>(ISSUE, [
      ...granted,
      ...[invitedBy, apiKeyId, inviterRole, expiresAt, createdAt],
      touchable,
    ]);
  }

  /** Searches all workspaces, because the holder of a token does not know which one. */
  findByToken(tokenHash: string): Promise<Invite | undefined> {
    return this.sql.first<Invite>(BY_TOKEN, [tokenHash]);
  }

  /** @returns the spent invite, or undefined if it was not valid */
  spend(tokenHash: string, at: Date): Promise<Invite | undefined> {
    return this.sql.first<Invite>(SPEND, [tokenHash, at]);
  }

  /** @returns false if the invite is no longer pending under its shown token */
  async setMailedToken({ workspaceId, id, tokenHash }: Invite, mailedTokenHash: string): Promise<boolean> {
    return (await this.sql.count(SET_MAILED_TOKEN, [workspaceId, id, tokenHash, mailedTokenHash])) === 1;
  }

  revokePending(workspaceId: string, email: string): Promise<Invite[]> {
    return this.sql.rows<Invite>(REVOKE_PENDING, [workspaceId, email]);
  }
}
