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
    /** The channel refuses the tokens of this generation that visitors of the kind have. */
    'channel.tokens_refused': ChannelTokensRefused;
    /** A new identity secret; the secret itself is in no event. */
    'channel.secret_rotated': ChannelRecord;
  }
}
