import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { sha256 } from '../../kernel/secret.js';
import { RateLimitService } from '../../platform/limits/rate-limit.service.js';
import type { Contact } from '../contacts/index.js';
import { addressHash, SubscriptionsService } from '../contacts/index.js';
import { WorkspacesService } from '../workspaces/index.js';
import type { UnsubscribeLink } from './unsubscribe-links.repository.js';
import { UnsubscribeLinksRepository } from './unsubscribe-links.repository.js';

/** Content of the page of a link. */
export interface LinkState {
  desk: string;
  unsubscribed: boolean;
}

/** The links by which recipients of follow-ups unsubscribe, and subscribe again. */
@Injectable()
export class UnsubscribeLinksService {
  constructor(
    private readonly links: UnsubscribeLinksRepository,
    private readonly subscriptions: SubscriptionsService,
    private readonly workspaces: WorkspacesService,
    private readonly limiter: RateLimitService,
    private readonly config: Config,
  ) {}

  /** Stores the link for this address. @returns its URL */
  async add(token: string, { workspaceId, id: contactId }: Contact, email: string): Promise<string> {
    await this.links.save(sha256(token), { workspaceId, contactId, addressHash: addressHash(workspaceId, email) });
    return `${this.config.publicUrl}/unsubscribe?token=${token}`;
  }

  /** @returns null for an unknown token @throws RateLimited after many unknown ones from one network */
  async getState(token: string, network: string): Promise<LinkState | null> {
    const link = await this.find(token, network);
    return link && this.stateOf(link);
  }

  /** Sets the subscription of the link's address. Null and RateLimited as for `getState` */
  async set(token: string, network: string, unsubscribed: boolean): Promise<LinkState | null> {
    const link = await this.find(token, network);
    if (!link) return null;
    await this.subscriptions.setByMail(link.workspaceId, link.contactId, link.addressHash, unsubscribed);
    return this.stateOf(link);
  }

  private async find(token: string, network: string): Promise<UnsubscribeLink | null> {
    await this.limiter.assertBelow('unsubscribe', network);
    const link = await this.links.find(sha256(token));
    if (!link) await this.limiter.fail('unsubscribe', network);
    return link;
  }

  private async stateOf({ workspaceId, addressHash: hash }: UnsubscribeLink): Promise<LinkState> {
    const workspace = await this.workspaces.find(workspaceId);
    const unsubscribed = await this.subscriptions.isHashUnsubscribed(workspaceId, hash);
    return { desk: workspace?.name ?? 'the support desk', unsubscribed };
  }
}
