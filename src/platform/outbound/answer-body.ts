import type { Dispatcher } from 'undici';
import { AnswerTooLarge, EndpointUnreachable } from './outbound.errors.js';
import type { RequestEnding } from './request-ending.js';

/** The body of an answer, which is read once. */
export class AnswerBody {
  private hasEnded = false;

  constructor(
    private readonly body: Dispatcher.ResponseData['body'],
    private readonly ending: RequestEnding,
  ) {}

  /** True when the whole body was read, so that its connection can serve another request. */
  get ended(): boolean {
    return this.hasEnded;
  }

  /**
   * Yields the body while it arrives.
   * @param gapMs time without a byte after which the request ends; null: only the request's other limits apply
   * @throws AnswerTooLarge after `maxBytes`
   * @throws EndpointUnreachable when the connection breaks, and the reason of the request's end
   */
  async *read(maxBytes: number, gapMs: number | null): AsyncGenerator<Uint8Array, void, undefined> {
    let left = maxBytes;
    for (;;) {
      const chunk = await this.next(gapMs);
      if (!chunk) return;
      if (left > 0) yield chunk.subarray(0, left);
      left -= chunk.length;
      if (left < 0) throw new AnswerTooLarge(maxBytes);
    }
  }

  /**
   * Reads at most `maxBytes`.
   * @returns the first `keptBytes` of the body as text, without half a character at their end
   */
  async readBeginning(maxBytes: number, keptBytes: number): Promise<string> {
    const kept = Buffer.alloc(keptBytes);
    let size = 0;
    try {
      for await (const chunk of this.read(maxBytes, null)) {
        kept.set(chunk.subarray(0, Math.max(0, keptBytes - size)), Math.min(size, keptBytes));
        size += chunk.length;
      }
    } catch (error) {
      if (!(error instanceof AnswerTooLarge)) throw error;
    }
    return toText(kept.subarray(0, size), size > keptBytes);
  }

  private async next(gapMs: number | null): Promise<Buffer | undefined> {
    const { ending } = this;
    ending.signal.throwIfAborted();
    if (gapMs !== null) ending.limit(gapMs, () => new EndpointUnreachable(new Error(`no byte within ${gapMs} ms`)));
    try {
      const { done, value } = (await this.iterator.next()) as IteratorResult<Buffer, undefined>;
      // a body without a length ends with its connection, also when the service closed it
      ending.signal.throwIfAborted();
      if (done) this.hasEnded = true;
      return done ? undefined : value;
    } catch (error) {
      throw ending.signal.aborted ? ending.signal.reason : new EndpointUnreachable(error);
    } finally {
      if (gapMs !== null) ending.lift();
    }
  }

  private get iterator(): AsyncIterator<Buffer> {
    return (this.iteration ??= this.body[Symbol.asyncIterator]() as AsyncIterator<Buffer>);
  }
  private iteration: AsyncIterator<Buffer> | undefined;
}

/** Replaces invalid UTF-8, and NUL, which PostgreSQL does not store. */
function toText(bytes: Uint8Array, isCut: boolean): string {
  return new TextDecoder().decode(bytes, { stream: isCut }).replaceAll('\0', '\uFFFD');
}
