import { Injectable } from '@nestjs/common';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import type { Attachment } from './attachment.js';

/** Uploads of one owner wait for each other here, so that its quotas hold exactly. */
const LOCK_OWNER = statement(`SELECT pg_advisory_xact_lock(hashtextextended('uploads ' || $1, 0))`);
/** Rows of before the earliest unsent file need not be read. */
const USE_OF_OWNER = statement(`
  SELECT count(*) FILTER (WHERE state = 'uploading')::int AS uploading,
         coalesce(sum(size) FILTER (WHERE state IN ('uploading', 'ready') AND message_id IS NULL), 0)::float8 AS unsent,
         coalesce(sum(size) FILTER (WHERE state <> 'abandoned' AND created_at > $5), 0)::float8 AS recent
  FROM attachment WHERE workspace_id = $1 AND owner_kind = $2 AND owner_id = $3 AND created_at > $4`);
const RESERVE = statement(`
  INSERT INTO file_usage (workspace_id, bytes) SELECT $1::uuid, $2::bigint WHERE $2::bigint <= $3
  ON CONFLICT (workspace_id) DO UPDATE SET bytes = file_usage.bytes + excluded.bytes
  WHERE file_usage.bytes + excluded.bytes <= $3`);
const INSERT = statement(`
  INSERT INTO attachment (id, workspace_id, state, owner_kind, owner_id, name, content_type, size, due_at, created_at)
  VALUES ($1, $2, 'uploading', $3, $4, '', 'application/octet-stream', $5, $6, $7)`);
const FINISH = statement(`
  WITH finished AS (
    UPDATE attachment SET state = 'ready', name = $3, content_type = $4, size = $5, width = $6, height = $7,
      has_thumbnail = $8, due_at = $9
    WHERE id = $1 AND state = 'uploading' RETURNING workspace_id
  )
  UPDATE file_usage SET bytes = bytes - $2 + $5 FROM finished WHERE file_usage.workspace_id = finished.workspace_id`);
const ENLARGE = statement(`UPDATE attachment SET size = $2 WHERE id = $1 AND state = 'uploading'`);
const ABANDON = statement(
  `UPDATE attachment SET state = 'abandoned', due_at = $2 WHERE id = $1 AND state = 'uploading'`,
);

const HOUR_MS = 3_600_000;
/** Longer than an upload takes, after which its file begins to wait. */
const UPLOAD_HOURS = 24;

/** Uploads and bytes that count for an owner's quotas. */
export interface OwnerUse {
  uploading: number;
  unsent: number;
  /** Uploaded within the last hour, sent or not, kept or not; not what failed. */
  recent: number;
}

export type NewUpload = Pick<
  Attachment,
  'id' | 'workspaceId' | 'ownerKind' | 'ownerId' | 'size' | 'dueAt' | 'createdAt'
>;
export type FinishedUpload = Pick<
  Attachment,
  'id' | 'name' | 'contentType' | 'size' | 'width' | 'height' | 'hasThumbnail' | 'dueAt'
>;

/** The rows of uploads under way, and the bytes that they reserve. */
@Injectable()
export class UploadsRepository {
  constructor(private readonly sql: SqlService) {}

  /** Locks the owner's uploads until the unit of work ends. @param unsentHours how long files wait to be sent */
  async lockOwner(
    { workspaceId, ownerKind, ownerId, createdAt: now }: NewUpload,
    unsentHours: number,
  ): Promise<OwnerUse> {
    await this.sql.rows(LOCK_OWNER, [ownerId]);
    const earlier = (hours: number) => new Date(now.getTime() - hours * HOUR_MS);
    const use = await this.sql.first<OwnerUse>(USE_OF_OWNER, [
      workspaceId,
      ownerKind,
      ownerId,
      earlier(unsentHours + UPLOAD_HOURS),
      earlier(1),
    ]);
    return use ?? { uploading: 0, unsent: 0, recent: 0 };
  }

  /** @returns false if the workspace's quota does not allow it */
  async reserve(workspaceId: string, bytes: number, quota: number): Promise<boolean> {
    return (await this.sql.count(RESERVE, [workspaceId, bytes, quota])) > 0;
  }

  async insert({ id, workspaceId, ownerKind, ownerId, size, dueAt, createdAt }: NewUpload): Promise<void> {
    await this.sql.count(INSERT, [id, workspaceId, ownerKind, ownerId, size, dueAt, createdAt]);
  }

  /** Records that the upload has reserved more. @returns false if it has been given up meanwhile */
  async enlarge(id: string, size: number): Promise<boolean> {
    return (await this.sql.count(ENLARGE, [id, size])) > 0;
  }

  /** Makes the file ready and corrects the reservation. @returns false if the upload has been given up meanwhile */
  async finish(upload: FinishedUpload, reserved: number): Promise<boolean> {
    const { id, name, contentType, size, width, height, hasThumbnail, dueAt } = upload;
    const values = [id, reserved, name, contentType, size, width, height, hasThumbnail, dueAt];
    return (await this.sql.count(FINISH, values)) > 0;
  }

  /**
   * Leaves the bytes, if any, to the worker that removes them from `dueAt` on.
   * @returns false if the worker has taken the upload for dead before
   */
  async abandon(id: string, dueAt: Date): Promise<boolean> {
    return (await this.sql.count(ABANDON, [id, dueAt])) > 0;
  }
}
