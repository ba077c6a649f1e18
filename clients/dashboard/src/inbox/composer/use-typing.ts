import { useEffect, useRef } from 'preact/hooks';
import { useDesk } from '../../desk/desk-context.js';

/** The service shows typing for 8 s. */
const TYPING_EVERY_MS = 4_000;

/** Tells the contact, or the team, that the member types. */
export function useTyping(conversationId: string, isPrivate: boolean): { send(text: string): void; stop(): void } {
  const { live } = useDesk();
  const sentAt = useRef(0);
  const stop = () => {
    sentAt.current = 0;
    live.stopTyping(conversationId);
  };
  useEffect(() => () => void live.stopTyping(conversationId), [live, conversationId, isPrivate]);
  const send = (text: string) => {
    if (text === '') return stop();
    if (Date.now() - sentAt.current < TYPING_EVERY_MS) return;
    sentAt.current = Date.now();
    live.typing(conversationId, { private: isPrivate });
  };
  return { send, stop };
}
