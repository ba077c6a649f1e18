import type { ChatController } from '../chat.js';

/** Properties of each view. A view renders anew whenever the chat changes. */
export interface ViewProps {
  chat: ChatController;
}
