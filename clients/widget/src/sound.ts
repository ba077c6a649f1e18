import { inOneTab } from '@support-chat/sdk';
import type { VisitorStorage } from './state/visitor-storage.js';

/** Time (ms) in which all tabs receive what one has stored. */
const STORAGE_DELAY_MS = 500;

/** The sound of a new message. Browsers allow it after the first gesture of the visitor. */
export class Sound {
  private context: AudioContext | undefined;

  constructor(private readonly storage: VisitorStorage) {}

  get isMuted(): boolean {
    return this.storage.get('muted') === '1';
  }

  toggle(): void {
    this.storage.set('muted', this.isMuted ? null : '1');
  }

  /** Call it in a handler of a click or a key. */
  allow(): void {
    this.context ??= new AudioContext();
  }

  /** Plays in one of the tabs in which the browser allows it. @param createdAt time of the message */
  async play(createdAt: string): Promise<void> {
    const { context, storage } = this;
    if (!context || this.isMuted) return;
    await inOneTab(storage.key('sound'), async () => {
      if ((storage.get('sounded') ?? '') >= createdAt) return;
      storage.set('sounded', createdAt);
      this.playTones(context);
      await new Promise(resolve => setTimeout(resolve, STORAGE_DELAY_MS));
    });
  }

  /** Two soft tones; a fifth, which no system sound of today has. */
  private playTones(context: AudioContext): void {
    for (const [index, frequency] of [659, 988].entries()) {
      const start = context.currentTime + index * 0.09;
      const [tone, volume] = [context.createOscillator(), context.createGain()];
      tone.frequency.value = frequency;
      volume.gain.setValueAtTime(0.06, start);
      volume.gain.exponentialRampToValueAtTime(0.0001, start + 0.28);
      tone.connect(volume).connect(context.destination);
      tone.start(start);
      tone.stop(start + 0.3);
    }
  }
}
