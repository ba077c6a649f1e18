import type { ChannelRecord } from './channel.js';

declare module '../../kernel/domain-event.js' {
  interface DomainEvents {
    'channel.created': ChannelRecord;
    'channel.updated': ChannelRecord;
    'channel.deleted': ChannelRecord;
    /** A new identity secret; the secret itself is in no event. */
    'channel.secret_rotated': ChannelRecord;
  }
}
