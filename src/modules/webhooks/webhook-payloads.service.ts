import { Injectable } from '@nestjs/common';
import type { RecordedEvent } from '../../kernel/domain-event.js';
import type { EventDefinition } from '../../kernel/event-definition.js';
import { EventRegistry } from '../../kernel/event-registry.js';
import type { ContactRecord } from '../contacts/index.js';
import { ContactPresenceService } from '../contacts/index.js';
import type { MemberRecord } from '../members/index.js';
import { MemberPresenceService } from '../members/index.js';
import { withoutFileUrls } from './file-facts.js';
import type { EndpointSettings } from './webhook.js';
import { selectsType } from './webhook.js';

/** The body of a delivery. */
export interface WebhookPayload {
  id: string;
  type: string;
  timestamp: string;
  workspace_id: string;
  cursor: string;
  data: object;
}

/** Decides by the registry of events what a webhook receives of an event. */
@Injectable()
export class WebhookPayloadsService {
  constructor(
    private readonly registry: EventRegistry,
    private readonly members: MemberPresenceService,
    private readonly contacts: ContactPresenceService,
  ) {}

  /** True if the webhook selects the event and may see something of it. */
  selects(settings: EndpointSettings, event: RecordedEvent): boolean {
    return selectsType(settings.events, event.type) && this.dataOf(settings, event) !== null;
  }

  /** @returns null where the webhook may see nothing of the event */
  render(settings: EndpointSettings, event: RecordedEvent, cursor: string): WebhookPayload | null {
    const data = this.dataOf(settings, event);
    if (!data) return null;
    return {
      id: event.id,
      type: event.type,
      timestamp: event.recordedAt,
      workspace_id: event.workspaceId,
      cursor,
      data: this.withPresence(event, withoutFileUrls(data)),
    };
  }

  private dataOf({ channelIds, includePrivate }: EndpointSettings, event: RecordedEvent): object | null {
    const definition = this.registry.find(event.type);
    if (!definition?.public) return null;
    const { agents, public: publicData, scopedPublic = publicData } = definition;
    if (channelIds === null) return includePrivate && agents ? agents.data(event) : publicData(event);
    if (!channelsOf(definition, event).some(id => channelIds.includes(id))) return null;
    return includePrivate && agents ? (agents.scopedData ?? agents.data)(event) : scopedPublic(event);
  }

  /** Adds the presence that agents' frames contain. */
  private withPresence({ type, workspaceId }: RecordedEvent, data: object): object {
    if (type === 'contact.updated') return this.contacts.addPresence(workspaceId, data as ContactRecord);
    if (type !== 'member.created' && type !== 'member.updated') return data;
    const member = data as MemberRecord;
    return { ...member, availability: this.members.getAvailability({ ...member, workspaceId }) };
  }
}

/** Events of the whole workspace belong to no channel. */
function channelsOf<T extends RecordedEvent['type']>(
  { agents }: EventDefinition<T>,
  event: RecordedEvent<T>,
): readonly string[] {
  return agents?.channels?.(event) ?? (event.channelId === null ? [] : [event.channelId]);
}
