import { Injectable } from '@nestjs/common';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import type { SsoTicket } from './sso-ticket.js';

/** Locks the member, so that no ticket is issued during a deactivation: it would outlive the tickets that end then. */
const ISSUE = statement(`
  INSERT INTO sso_ticket (workspace_id, id, ticket_hash, member_id, api_key_id, channel_ids, expires_at)
  SELECT member.workspace_id, $3, $4, member.id, $5, $6, $7
  FROM member WHERE member.workspace_id = $1 AND member.id = $2 AND member.status = 'active'
  FOR SHARE`);
/**
 * One statement, so that of concurrent exchanges on any instance one finds the ticket unspent.
 * It locks key and member until the session is inserted: a concurrent revocation or deactivation comes first and the
 * ticket is refused, or comes later and ends the session. Both are locked before the ticket, in the order that those
 * operations use.
 */
const SPEND = statement(`
  WITH bearer AS (
    SELECT sso_ticket.workspace_id, sso_ticket.id
    FROM sso_ticket
    JOIN api_key ON api_key.workspace_id = sso_ticket.workspace_id AND api_key.id = sso_ticket.api_key_id
    JOIN member ON member.workspace_id = sso_ticket.workspace_id AND member.id = sso_ticket.member_id
    WHERE sso_ticket.ticket_hash = $1
      AND api_key.revoked_at IS NULL AND (api_key.expires_at IS NULL OR api_key.expires_at > $2)
      AND member.status = 'active'
    FOR SHARE OF api_key, member
  )
  UPDATE sso_ticket SET spent_at = $2
  FROM bearer
  WHERE sso_ticket.workspace_id = bearer.workspace_id AND sso_ticket.id = bearer.id
    AND sso_ticket.spent_at IS NULL AND sso_ticket.expires_at > $2
  RETURNING sso_ticket.workspace_id AS "workspaceId", sso_ticket.member_id AS "memberId",
            sso_ticket.api_key_id AS "apiKeyId", sso_ticket.channel_ids AS "channelIds"`);
const TICKET_STATE = statement(`
  SELECT sso_ticket.workspace_id AS "workspaceId", sso_ticket.member_id AS "memberId",
         sso_ticket.spent_at IS NOT NULL AS spent, member.status = 'deactivated' AS "memberDeactivated",
         api_key.revoked_at IS NOT NULL OR api_key.expires_at <= $2 AS "keyEnded"
  FROM sso_ticket
  JOIN api_key ON api_key.workspace_id = sso_ticket.workspace_id AND api_key.id = sso_ticket.api_key_id
  JOIN member ON member.workspace_id = sso_ticket.workspace_id AND member.id = sso_ticket.member_id
  WHERE sso_ticket.ticket_hash = $1`);
const EXPIRE_OF_MEMBER = statement(`
  UPDATE sso_ticket SET expires_at = $3
  WHERE workspace_id = $1 AND member_id = $2 AND spent_at IS NULL AND expires_at > $3`);
const DELETE_EXPIRED = statement(`DELETE FROM sso_ticket WHERE expires_at < $1`);

export type SpentTicket = Pick<SsoTicket, 'workspaceId' | 'memberId' | 'apiKeyId' | 'channelIds'>;

/** State of a ticket that cannot be spent. If no flag is true, it has expired. */
export interface SsoTicketState {
  workspaceId: string;
  memberId: string;
  spent: boolean;
  memberDeactivated: boolean;
  keyEnded: boolean;
}

@Injectable()
export class SsoTicketsRepository {
  constructor(private readonly sql: SqlService) {}

  /** @returns false if the member is not active; then no ticket is stored */
  async issue(ticket: Omit<SsoTicket, 'spentAt' | 'createdAt'>): Promise<boolean> {
    const { workspaceId, memberId, id, ticketHash, apiKeyId, channelIds, expiresAt } = ticket;
    const values = [workspaceId, memberId, id, ticketHash, apiKeyId, channelIds, expiresAt];
    return (await this.sql.count(ISSUE, values)) === 1;
  }

  /** @returns undefined if the ticket is not valid */
  spend(ticketHash: string, at: Date): Promise<SpentTicket | undefined> {
    return this.sql.first<SpentTicket>(SPEND, [ticketHash, at]);
  }

  findState(ticketHash: string, at: Date): Promise<SsoTicketState | undefined> {
    return this.sql.first<SsoTicketState>(TICKET_STATE, [ticketHash, at]);
  }

  async expireOfMember(workspaceId: string, memberId: string, at: Date): Promise<void> {
    await this.sql.count(EXPIRE_OF_MEMBER, [workspaceId, memberId, at]);
  }

  /** Deletes tickets that expired before this time, used or not. @returns the number of deleted tickets */
  deleteExpired(before: Date): Promise<number> {
    return this.sql.count(DELETE_EXPIRED, [before]);
  }
}
