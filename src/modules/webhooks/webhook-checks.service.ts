import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import type { EventType } from '../../kernel/domain-event.js';
import { LimitReached, ValidationFailed } from '../../kernel/errors.js';
import { EventRegistry } from '../../kernel/event-registry.js';
import { AddressPolicy } from '../../platform/outbound/address.policy.js';
import { ChannelsService } from '../channels/index.js';
import { selectsType } from './webhook.js';
import { WebhooksRepository } from './webhooks.repository.js';

export interface CheckedFields {
  url?: string | undefined;
  events?: string[] | undefined;
  channel_ids?: string[] | null | undefined;
}

/** Checks the settings of webhooks. */
@Injectable()
export class WebhookChecksService {
  /** The types that webhooks may receive. */
  readonly offered: readonly EventType[];
  /** The types whose events belong to the channels that their payload lists in `channel_ids`. */
  readonly contactTypes: readonly EventType[];

  constructor(
    registry: EventRegistry,
    private readonly addresses: AddressPolicy,
    private readonly channels: ChannelsService,
    private readonly webhooks: WebhooksRepository,
    private readonly config: Config,
  ) {
    this.offered = registry.typesWhere(definition => definition.public !== undefined);
    this.contactTypes = registry.typesWhere(({ agents }) => agents?.channels !== undefined);
  }

  /**
   * Call it before a unit of work: it may wait for DNS.
   * @throws ValidationFailed for a URL that must not be called, an unknown event or an unknown channel
   */
  async assertValid(workspaceId: string, { url, events, channel_ids: channelIds }: CheckedFields): Promise<void> {
    if (events !== undefined) this.assertOffered(events);
    if (channelIds) await this.channels.assertExisting(workspaceId, channelIds);
    if (url !== undefined) await this.addresses.assertCallable(url, 'url');
  }

  /** Locks the number of the workspace's webhooks. @throws LimitReached */
  async assertBelowLimit(workspaceId: string): Promise<void> {
    const count = await this.webhooks.lockAndCount(workspaceId);
    if (count >= this.config.resourceLimits.webhooks) throw new LimitReached();
  }

  private assertOffered(events: readonly string[]): void {
    const none = { field: 'events', code: 'required', message: 'events must name at least one event' };
    const unknown = events.flatMap((pattern, index) =>
      this.offered.some(type => selectsType([pattern], type))
        ? []
        : [{ field: `events[${index}]`, code: 'unknown', message: `events[${index}] names no event of webhooks` }],
    );
    const details = events.length === 0 ? [none] : unknown;
    if (details.length > 0) throw new ValidationFailed({ details });
  }
}
