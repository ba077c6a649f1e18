import type { Translator } from '@support-chat/ui/translator.js';
import type { MessageKey } from '../messages.js';

/** Says when somebody is there again. */
export function openingText(opensAt: string | null, translator: Translator<MessageKey>, now = Date.now()): string {
  const { text, clock, weekday, day } = translator;
  if (!opensAt) return text('offline');
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const days = Math.round((new Date(opensAt).setHours(0, 0, 0, 0) - midnight) / 86_400_000);
  const time = clock(opensAt);
  if (days < 2) return text(days === 0 ? 'backToday' : 'backTomorrow', { time });
  return text('backOn', { day: days < 7 ? weekday(opensAt) : day(opensAt), time });
}
