import { Injectable } from '@nestjs/common';
import type { Principal } from '../../kernel/principal.js';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import { isVisible, scopeColumnsOf, visibilityOf } from '../../platform/database/visibility.js';
import type { Attachment, Owner } from './attachment.js';

const COLUMNS = `
  id, workspace_id AS "workspaceId", state, owner_kind AS "ownerKind", owner_id AS "ownerId", channel_id AS "channelId",
  contact_id AS "contactId", private, message_id AS "messageId", name, content_type AS "contentType", size, width, height,
  has_thumbnail AS "hasThumbnail", due_at AS "dueAt", created_at AS "createdAt"`;
const IS_READABLE = `state = 'ready' AND (due_at IS NULL OR due_at > $2)`;
const FIND = statement(`SELECT ${COLUMNS} FROM attachment WHERE id = $1 AND ${IS_READABLE}`);
/** A file of a message is visible with it. Before that, to its uploader. */
const FIND_VISIBLE = statement(`
  SELECT ${COLUMNS} FROM attachment
  WHERE id = $1 AND ${IS_READABLE} AND workspace_id = $3 AND CASE WHEN message_id IS NULL
    THEN owner_kind = $6 AND owner_id = $7
    ELSE ${isVisible(scopeColumnsOf('attachment'), { workspace: '$3', contact: '$4::uuid', channels: '$5::uuid[]' })}
      AND NOT ($4::uuid IS NOT NULL AND private) END`);
/** Locks in the order of ids, so that two messages with the same files do not wait for each other. */
const CLAIM = statement(`
  WITH chosen AS (
    SELECT id FROM attachment
    WHERE id = ANY($1::uuid[]) AND ${IS_READABLE} AND workspace_id = $3 AND message_id IS NULL
      AND owner_kind = $4 AND ($5::uuid IS NULL OR owner_id = $5)
    ORDER BY id FOR UPDATE
  )
  UPDATE attachment SET message_id = $6, channel_id = $7, contact_id = $8, private = $9, due_at = NULL
  FROM chosen WHERE attachment.id = chosen.id
  RETURNING ${COLUMNS.replace(/\bid,/, 'attachment.id,')}`);
const REMOVE_OF_MESSAGE = statement(`
  UPDATE attachment SET state = 'removed', due_at = $3 WHERE workspace_id = $1 AND message_id = $2 AND state = 'ready'`);
/** Files of the person's conversations, and its own that were not sent. An upload under way fails by itself. */
const REMOVE_OF_CONTACTS = statement(
  `
  UPDATE attachment SET state = 'removed', due_at = $3
  WHERE workspace_id = $1 AND state = 'ready'
    AND (contact_id = ANY($2::uuid[]) OR (owner_kind = 'contact' AND owner_id = ANY($2::uuid[])))`,
  { timeout: 120_000 },
);
const MOVE_TO_CONTACT = statement('UPDATE attachment SET contact_id = $3 WHERE workspace_id = $1 AND contact_id = $2', {
  timeout: 120_000,
});

/** The message that takes files. */
export interface ClaimingMessage {
  id: string;
  workspaceId: string;
  channelId: string;
  contactId: string;
  private: boolean;
}

@Injectable()
export class AttachmentsRepository {
  constructor(private readonly sql: SqlService) {}

  /** Finds a file that may be read now, for a caller with a signed URL. */
  find(id: string, now: Date): Promise<Attachment | undefined> {
    return this.sql.first<Attachment>(FIND, [id, now]);
  }

  findVisible(principal: Principal, owner: Owner, id: string, now: Date): Promise<Attachment | undefined> {
    const { workspaceId, contactId, channels } = visibilityOf(principal);
    return this.sql.first<Attachment>(FIND_VISIBLE, [id, now, workspaceId, contactId, channels, owner.kind, owner.id]);
  }

  /** Gives the files to the message. @returns those that could be given */
  claim(
    ids: readonly string[],
    owner: { kind: Owner['kind']; id: string | null },
    message: ClaimingMessage,
    now: Date,
  ): Promise<Attachment[]> {
    const { id, workspaceId, channelId, contactId, private: isPrivate } = message;
    const target = [id, channelId, contactId, isPrivate];
    return this.sql.rows<Attachment>(CLAIM, [ids, now, workspaceId, owner.kind, owner.id, ...target]);
  }

  async removeOfMessage(workspaceId: string, messageId: string, now: Date): Promise<void> {
    await this.sql.count(REMOVE_OF_MESSAGE, [workspaceId, messageId, now]);
  }

  async removeOfContacts(workspaceId: string, contactIds: readonly string[], now: Date): Promise<void> {
    await this.sql.count(REMOVE_OF_CONTACTS, [workspaceId, contactIds, now]);
  }

  async moveToContact(workspaceId: string, from: string, into: string): Promise<void> {
    await this.sql.count(MOVE_TO_CONTACT, [workspaceId, from, into]);
  }
}
