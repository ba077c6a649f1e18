import type { NotificationView } from '@support-chat/sdk';
import type { Desk } from '../desk/desk.js';
import { describeNotice } from './describe-notice.js';
import { t } from './texts/index.js';

/** Two short tones, in Hz. */
const TONES = [660, 880];
const TONE_S = 0.12;
const VOLUME = 0.12;

type Known = Pick<Desk, 'reader' | 'store' | 'directory'>;

/**
 * Shows a notification of the browser. It names the people and contains no text of a message, because screens are locked
 * and shared.
 * A later one about the same conversation replaces it.
 * @param open called when it is clicked, after the tab has the focus
 */
export async function showInBrowser(notification: NotificationView, known: Known, open: () => void): Promise<void> {
  if (!('Notification' in window) || Notification.permission !== 'granted') return;
  const { conversation_id: id } = notification;
  if (!known.store.conversation(id).peek()) await known.reader.readConversations([id]);
  const view = known.store.conversation(id).peek();
  // it is gone, or the member may not see it any more
  if (!view) return;
  const shown = new Notification(
    describeNotice(notification, view, memberId => known.directory.nameOf(memberId)),
    {
      body: t('conversationNumber', { number: view.number }),
      tag: id,
    },
  );
  shown.onclick = () => {
    window.focus();
    open();
    shown.close();
  };
}

/** Plays the sound of a notification. Before the first click or key of a page, browsers keep it silent. */
export function playSound(): void {
  const context = new AudioContext();
  const volume = context.createGain();
  volume.gain.value = VOLUME;
  volume.connect(context.destination);
  const tones = TONES.map((frequency, index) => {
    const tone = context.createOscillator();
    tone.frequency.value = frequency;
    tone.connect(volume);
    tone.start(context.currentTime + index * TONE_S);
    tone.stop(context.currentTime + (index + 1) * TONE_S);
    return tone;
  });
  const last = tones.at(-1);
  if (last) last.onended = () => void context.close();
}
