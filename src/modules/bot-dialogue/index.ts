export type { BotNotice, DraftRecord, DraftSender, DraftState } from './bot-notice.js';
export { BOT_NOTICES_SUBJECT, DRAFT_STATES, isBotNotice } from './bot-notice.js';
export { BotDialogueModule } from './bot-dialogue.module.js';
