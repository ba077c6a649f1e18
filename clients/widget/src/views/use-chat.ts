import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ChatController } from '../chat.js';

export const ChatContext = createContext<ChatController | undefined>(undefined);

export function useChat(): ChatController {
  return useContext(ChatContext) as ChatController;
}
