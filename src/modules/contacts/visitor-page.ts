import { isWireTime } from '../../platform/schemas/field-rules.js';
import { PresenceGroups } from '../../platform/presence/presence-groups.js';
import type { VisitedPage } from '../channels/index.js';

/** A contact on the site of one channel. */
export interface SiteVisitor {
  workspaceId: string;
  contactId: string;
  channelId: string;
}

/** The page where a visitor is, and since when. */
export interface PresentPage {
  page: VisitedPage;
  at: string;
}

export const visitorPageGroups = new PresenceGroups('pages');

export function visitorKey({ contactId, channelId }: Pick<SiteVisitor, 'contactId' | 'channelId'>): string {
  return `${contactId} ${channelId}`;
}

/** Reads an entry of the presence store. @returns null for none, and for one that no instance has written */
export function readPresentPage(metadata: string | undefined): PresentPage | null {
  if (metadata === undefined) return null;
  try {
    const entry = JSON.parse(metadata) as Partial<PresentPage> | null;
    const { url, title, referrer } = entry?.page ?? {};
    const isText = (value: unknown) => value === null || typeof value === 'string';
    if (typeof url !== 'string' || !isText(title) || !isText(referrer) || !isWireTime(entry?.at)) return null;
    return entry as PresentPage;
  } catch {
    return null;
  }
}
