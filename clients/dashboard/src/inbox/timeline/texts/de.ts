import type { Entry } from '@support-chat/ui/translator.js';
import type { TimelineText } from './en.js';

/** The texts of the timeline, in German. */
export const de: Record<TimelineText, Entry> = {
  unsendTitle: 'Diese Nachricht zurückziehen?',
  unsendText: 'Text und Dateien werden für alle entfernt. Das lässt sich nicht rückgängig machen.',
  openOriginal: 'Original öffnen',
  pictureNamed: 'Bild {name}',
  newMessages: { one: '{count} neue Nachricht', other: '{count} neue Nachrichten' },
  answer: 'Antworten',
  quoteJump: 'Die zitierte Nachricht zeigen',
  quoteEarlier: 'Eine frühere Nachricht',
  woken: 'Das Zurückstellen ist zu Ende',
  wokenBy: '{name} – zurückgeholt',
  ratedWithComment: 'Bewertet mit {score} von 5: „{comment}“',
};
