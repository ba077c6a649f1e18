import { setTimeout as wait } from 'node:timers/promises';

/** Average speed of a person: 25 characters read and 8 typed per second. The maxima keep the demo short. */
const READING = { thinkMs: 800, perCharacterMs: 40, maxMs: 6_000 };
const TYPING = { perCharacterMs: 125, maxMs: 12_000 };
/** Time between typing frames. The other side shows the indicator for 8 s after each. */
const INDICATOR_MS = 5_000;

/** Simulates the time that people take to read and type. */
export class Pace {
  private readonly factor: number;

  /** @param speed multiple of a person's speed; 0 or Infinity for no delays */
  constructor(speed: number) {
    if (Number.isNaN(speed) || speed < 0) throw new RangeError(`speed ${speed} is not a number from 0 to Infinity`);
    this.factor = speed === 0 ? 0 : 1 / speed;
  }

  /** Waits as long as a person takes to read the previous message and to type the answer. */
  async simulateTurn(previous: string, answer: string, showTyping: () => void): Promise<void> {
    if (this.factor === 0) return;
    const reading = READING.thinkMs + previous.length * READING.perCharacterMs;
    await wait(this.factor * Math.min(reading, READING.maxMs));
    let left = this.factor * Math.min(answer.length * TYPING.perCharacterMs, TYPING.maxMs);
    while (left > 0) {
      showTyping();
      await wait(Math.min(left, INDICATOR_MS));
      left -= INDICATOR_MS;
    }
  }
}

/** Minimum time between typing frames: all dialogues share the agent's socket, which may send 20 frames a second. */
const TYPING_GAP_MS = 100;

/** Wraps a function so that calls too soon after the last one are dropped. */
export function throttle(send: (conversationId: string) => void): (conversationId: string) => void {
  let last = -Infinity;
  return conversationId => {
    const now = performance.now();
    if (now - last < TYPING_GAP_MS) return;
    last = now;
    send(conversationId);
  };
}
