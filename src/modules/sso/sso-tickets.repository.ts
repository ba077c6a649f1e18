import { Injectable } from '@nestjs/common';
import { Sql, statement } from '../../platform/database/sql.js';
import type { SsoTicket } from './sso-ticket.js';

/** Nobody gets a ticket for a member who is being deactivated at this moment: it would outlive those that die then. */
const ISSUE = statement(`
  INSERT INTO sso_ticket (workspace_id, id, ticket_hash, member_id, api_key_id, channel_ids, expires_at)
  SELECT member.workspace_id, $3, $4, member.id, $5, $6, $7
  FROM member WHERE member.workspace_id = $1 AND member.id = $2 AND member.status = 'active'
  FOR SHARE`);
/**
 * One statement spends it: of any number who come with one ticket, on whichever instance, one finds it unspent. Its
 * key and its member are held as they are until the session is written, so that whoever revokes or deactivates
 * meanwhile comes before, and the ticket is dead, or after, and finds the session to end. They are held before the
 * ticket is, in the order in which those others take them.
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

/** What is known of a ticket that cannot be spent; where nothing else is true, its minute is over. */
export interface SsoTicketState {
  workspaceId: string;
  memberId: string;
  spent: boolean;
  memberDeactivated: boolean;
  keyEnded: boolean;
}

@Injectable()
export class SsoTicketsRepository {
  constructor(private readonly sql: Sql) {}

  /** @returns whether the member was active, and so has the ticket */
  async issue(ticket: Omit<SsoTicket, 'spentAt' | 'createdAt'>): Promise<boolean> {
    const { workspaceId, memberId, id, ticketHash, apiKeyId, channelIds, expiresAt } = ticket;
    const values = [workspaceId, memberId, id, ticketHash, apiKeyId, channelIds, expiresAt];
    return (await this.sql.count(ISSUE, values)) === 1;
  }

  /** @returns whose it was and what for, when it could still be spent */
  spend(ticketHash: string, at: Date): Promise<SpentTicket | undefined> {
    return this.sql.first<SpentTicket>(SPEND, [ticketHash, at]);
  }

  findState(ticketHash: string, at: Date): Promise<SsoTicketState | undefined> {
    return this.sql.first<SsoTicketState>(TICKET_STATE, [ticketHash, at]);
  }

  async expireOfMember(workspaceId: string, memberId: string, at: Date): Promise<void> {
    await this.sql.count(EXPIRE_OF_MEMBER, [workspaceId, memberId, at]);
  }

  /** Drops tickets that ended before then, spent or not. @returns how many */
  deleteExpired(before: Date): Promise<number> {
    return this.sql.count(DELETE_EXPIRED, [before]);
  }
}
