import { signal } from '@preact/signals';
import type { MessageView } from '@support-chat/sdk';

/** The message that a member has just chosen to answer, until the composer takes it. */
export const chosenQuote = signal<MessageView | undefined>(undefined);
