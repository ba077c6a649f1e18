import { describe, expect, it } from '@jest/globals';
import { conversationPath } from '../../clients/dashboard/src/conversation-path.js';

describe('The path of a conversation', () => {
  it('A path leads to a conversation, or to one of its messages.', () => {
    expect(conversationPath('c1')).toBe('/inbox/all/c1');
    expect(conversationPath('c1', null)).toBe('/inbox/all/c1');
    expect(conversationPath('c1', 'm7')).toBe('/inbox/all/c1?message=m7');
  });
});
