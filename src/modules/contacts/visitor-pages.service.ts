import { Injectable, OnApplicationBootstrap, OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Clock, toWireTime } from '../../kernel/clock.js';
import type { RecordedEvent } from '../../kernel/domain-event.js';
import { ExpiringMap } from '../../kernel/expiring-map.js';
import { EventTailJob } from '../../platform/events/event-tail.job.js';
import type { PresenceChange } from '../../platform/presence/presence-change.js';
import { PresenceStore } from '../../platform/presence/presence-store.js';
import type { VisitedPage } from '../channels/index.js';
import { contactPresenceGroups, readContactMetadata } from './contact-presence.service.js';
import type { PresentPage, SiteVisitor } from './visitor-page.js';
import { readPresentPage, visitorKey, visitorPageGroups } from './visitor-page.js';

/** Contacts with a page that this instance was told of. Pages of further ones are not shown. */
const MAX_PAGES = 50_000;
/** Longer than a request of an ended contact can take. */
const ENDED_MS = 60 * 60_000;

interface OwnPage {
  workspaceId: string;
  contactId: string;
  /** In the time of `performance.now()`. */
  reportedAt: number;
  since: string;
}

/**
 * The pages where visitors are, in the presence store only. A page goes when its contact goes offline. The page of a
 * contact that has not connected yet stays for the time to live of presence.
 */
@Injectable()
export class VisitorPagesService implements OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown {
  /** The pages that this instance has entered in the store. */
  private readonly own = new Map<string, OwnPage>();
  /** Merged and erased contacts: a request of theirs may end after them. */
  private readonly ended = new ExpiringMap(ENDED_MS);
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly store: PresenceStore,
    private readonly tail: EventTailJob,
  ) {}

  onModuleInit(): void {
    this.store.listen(change => this.onChange(change));
    this.tail.listen(event => {
      if (event.type === 'contact.deleted') this.end(event as RecordedEvent<'contact.deleted'>);
      if (event.type === 'contact.merged') this.end(event as RecordedEvent<'contact.merged'>);
    });
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.expire(), this.config.presenceTtlMs).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Enters the visitor's page. The same page again keeps its time. */
  report(visitor: SiteVisitor, page: VisitedPage): void {
    const { workspaceId, contactId } = visitor;
    const key = visitorKey(visitor);
    const present = this.find(visitor)?.page;
    if (present && present.url === page.url && present.title === page.title) return;
    if (this.ended.get(contactId) || (this.own.size >= MAX_PAGES && !this.own.has(key))) return;
    const since = toWireTime(this.clock.now());
    this.own.set(key, { workspaceId, contactId, reportedAt: performance.now(), since });
    this.store.enter(visitorPageGroups.groupFor(workspaceId), key, JSON.stringify({ page, at: since }));
  }

  find(visitor: SiteVisitor): PresentPage | null {
    const group = visitorPageGroups.groupFor(visitor.workspaceId);
    return readPresentPage(this.store.findMetadata(group, visitorKey(visitor)));
  }

  private onChange({ group, id, before, after }: PresenceChange): void {
    const workspaceId = contactPresenceGroups.parseWorkspaceId(group);
    if (workspaceId !== null && after === undefined) return this.leaveAll(id, readContactMetadata(before));
    const own = this.own.get(id);
    const other = own && visitorPageGroups.parseWorkspaceId(group) !== null ? readPresentPage(after) : null;
    // another instance has a later page
    if (own && other && other.at > own.since) this.leave(id, own);
  }

  private end({ payload: { id, channel_ids } }: RecordedEvent<'contact.deleted' | 'contact.merged'>): void {
    this.ended.addIfAbsent(id, this.clock.now());
    this.leaveAll(id, channel_ids);
  }

  private leaveAll(contactId: string, channelIds: readonly string[]): void {
    for (const channelId of channelIds) {
      const key = visitorKey({ contactId, channelId });
      const own = this.own.get(key);
      if (own) this.leave(key, own);
    }
  }

  private leave(key: string, { workspaceId }: OwnPage): void {
    this.own.delete(key);
    this.store.leave(visitorPageGroups.groupFor(workspaceId), key);
  }

  private expire(): void {
    const old = performance.now() - this.config.presenceTtlMs;
    for (const [key, own] of this.own) {
      const group = contactPresenceGroups.groupFor(own.workspaceId);
      if (own.reportedAt < old && this.store.findMetadata(group, own.contactId) === undefined) this.leave(key, own);
    }
  }
}
