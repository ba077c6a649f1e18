import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { VisitorPrincipal } from '../../../kernel/principal.js';
import type { SocketConnection } from '../../../platform/sockets/socket-connection.js';
import { ChannelsService, readVisitedPage } from '../../channels/index.js';
import { VisitorPagesService, visitorKey } from '../../contacts/index.js';

const MIN_INTERVAL_MS = 2_000;
const MAX_VISITORS = 50_000;
const MAX_CHANNELS = 1_000;
/** How long a channel's changed `kept_query_params` may stay without effect. */
const CHANNEL_MS = 5_000;

/** Takes the frames in which visitors report their pages. */
@Injectable()
export class PageReportsService {
  private readonly recent = new LRUCache<string, true>({ max: MAX_VISITORS, ttl: MIN_INTERVAL_MS });
  private readonly keptParams = new LRUCache<string, Promise<string[]>>({ max: MAX_CHANNELS, ttl: CHANNEL_MS });

  constructor(
    private readonly channels: ChannelsService,
    private readonly pages: VisitorPagesService,
  ) {}

  /** Ignores what is no page, and more than one page of a visitor in two seconds. */
  async report(connection: SocketConnection, fields: Record<string, unknown>): Promise<void> {
    const visitor = connection.principal as VisitorPrincipal;
    const key = visitorKey(visitor);
    if (this.recent.has(key)) return;
    this.recent.set(key, true);
    const page = readVisitedPage(fields, await this.findKeptParams(visitor));
    // the socket may have closed during the query, because access has ended
    if (page && connection.closedAt === null) this.pages.report(visitor, page);
    else this.recent.delete(key);
  }

  private findKeptParams({ workspaceId, channelId }: VisitorPrincipal): Promise<string[]> {
    const known = this.keptParams.get(channelId);
    if (known) return known;
    const read = this.channels.find(workspaceId, channelId).then(channel => channel?.keptQueryParams ?? []);
    this.keptParams.set(channelId, read);
    read.catch(() => this.keptParams.delete(channelId));
    return read;
  }
}
