import { toWireTime } from '../../kernel/clock.js';

/** Lower case only, so that two short codes never differ in case alone. */
export const SHORT_CODE = /^[a-z0-9_-]{1,50}$/;

/** A text that agents insert by its short code. */
export interface CannedResponse {
  id: string;
  workspaceId: string;
  shortCode: string;
  title: string;
  /** May contain variables, such as `{{contact.name|there}}`. */
  content: string;
  tags: string[];
  /** The member who created it; null if an API key did. */
  createdBy: string | null;
  /** Number of times it was rendered for a conversation. */
  usageCount: number;
  createdAt: Date;
  updatedAt: Date;
}

/** Canned response in wire format. */
export interface CannedResponseRecord {
  id: string;
  short_code: string;
  title: string;
  content: string;
  tags: string[];
  created_by: string | null;
  usage_count: number;
  created_at: string;
  updated_at: string;
}

export function toCannedResponseRecord(response: CannedResponse): CannedResponseRecord {
  return {
    id: response.id,
    short_code: response.shortCode,
    title: response.title,
    content: response.content,
    tags: response.tags,
    created_by: response.createdBy,
    usage_count: response.usageCount,
    created_at: toWireTime(response.createdAt),
    updated_at: toWireTime(response.updatedAt),
  };
}
