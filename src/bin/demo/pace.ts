import { setTimeout as wait } from 'node:timers/promises';

/** What an average person takes: reading 25 characters a second, typing 8. Nobody waits out a long text in a demo. */
const READING = { thinkMs: 800, perCharacterMs: 40, longestMs: 6_000 };
const TYPING = { perCharacterMs: 125, longestMs: 12_000 };
/** An indicator lasts 8 s on the other side. */
const INDICATOR_MS = 5_000;

/** How fast a dialogue is played. */
export class Pace {
  private readonly factor: number;

  /** @param speed times a person's; 0 or Infinity is as fast as the service answers */
  constructor(speed: number) {
    if (Number.isNaN(speed) || speed < 0) throw new RangeError(`speed ${speed} is no number from 0 to Infinity`);
    this.factor = speed === 0 ? 0 : 1 / speed;
  }

  /** The time in which somebody reads what was said and types the answer. */
  async simulateTurn(heard: string, answer: string, showTyping: () => void): Promise<void> {
    if (this.factor === 0) return;
    const reading = READING.thinkMs + heard.length * READING.perCharacterMs;
    await wait(this.factor * Math.min(reading, READING.longestMs));
    let left = this.factor * Math.min(answer.length * TYPING.perCharacterMs, TYPING.longestMs);
    while (left > 0) {
      showTyping();
      await wait(Math.min(left, INDICATOR_MS));
      left -= INDICATOR_MS;
    }
  }
}

/** One agent types in many dialogues over one socket, which may say 20 things a second. */
const TYPING_GAP_MS = 100;

/** `act`, left out when it comes too soon after the last time. */
export function throttle(act: (conversationId: string) => void): (conversationId: string) => void {
  let last = -Infinity;
  return conversationId => {
    const now = performance.now();
    if (now - last < TYPING_GAP_MS) return;
    last = now;
    act(conversationId);
  };
}
