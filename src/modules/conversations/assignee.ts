import { covers } from '../../kernel/channel-scope.js';
import type { Member } from '../members/index.js';

/** Whether a conversation of the channel can be assigned to the member: it is active and sees the channel. */
export function canServe(member: Member | null, channelId: string): boolean {
  return member?.status === 'active' && covers(member.channelIds, channelId);
}
