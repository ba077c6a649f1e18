import type { VisitorKind } from './channel-tokens.js';
import type { ChannelRecord } from './channel.js';

export interface ChannelTokensRefused {
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
