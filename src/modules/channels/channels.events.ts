import type { EventDefinitions } from '../../kernel/event-definition.js';
import { auditedAs, NOT_SENT, wholePayload } from '../../kernel/event-definition.js';
import type { SocketGroup } from '../../kernel/socket-group.js';
import type { VisitorKind } from './channel-tokens.js';
import type { ChannelRecord } from './channel.js';

interface ChannelTokensRefused {
  id: string;
  kind: VisitorKind;
  generation: number;
}

declare module '../../kernel/domain-event.js' {
  interface DomainEvents {
    'channel.created': ChannelRecord;
    'channel.updated': ChannelRecord;
    'channel.deleted': ChannelRecord;
    /** Visitor tokens of this kind and generation were revoked. */
    'channel.tokens_refused': ChannelTokensRefused;
    /** The identity secret was rotated. No event contains the secret. */
    'channel.secret_rotated': ChannelRecord;
  }
}

/** A channel that is disabled or deleted takes no visitors. */
const visitorSockets = (channelId: string): SocketGroup => ({
  of: 'channelVisitors',
  channelId,
  reason: 'accessRevoked',
});

const channel = { audit: auditedAs('channel'), personal: 'none' } as const;
const record = {
  agents: { room: 'channel', shape: 'ChannelView', data: wholePayload },
  visitor: null,
  public: wholePayload,
  ...channel,
} as const;

type ChannelEvent =
  'channel.created' | 'channel.updated' | 'channel.deleted' | 'channel.tokens_refused' | 'channel.secret_rotated';

export const CHANNEL_EVENTS: EventDefinitions<ChannelEvent> = {
  'channel.created': { summary: 'A channel was created.', ...record },
  'channel.updated': {
    summary: 'A channel was updated.',
    ...record,
    closes: ({ id, status }) => (status === 'disabled' ? visitorSockets(id) : null),
  },
  'channel.deleted': { summary: 'A channel was deleted.', ...record, closes: ({ id }) => visitorSockets(id) },
  'channel.tokens_refused': {
    summary: 'Visitor tokens of a channel were revoked. Their sockets close.',
    ...NOT_SENT,
    ...channel,
    closes: ({ id: channelId, kind, generation }) => ({
      of: 'channelTokens',
      channelId,
      kind,
      generation,
      reason: 'accessRevoked',
    }),
  },
  'channel.secret_rotated': { summary: 'The identity secret of a channel was rotated.', ...NOT_SENT, ...channel },
};
