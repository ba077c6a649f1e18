import { covers } from '../../kernel/channel-scope.js';
import type { Member } from '../members/index.js';

/** True if a conversation of the channel can be assigned to the member, who must be active and see the channel. */
export function canServe(member: Pick<Member, 'status' | 'channelIds'> | null, channelId: string): boolean {
  return member?.status === 'active' && covers(member.channelIds, channelId);
}
