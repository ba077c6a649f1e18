import type { ChatModule } from '../seam.js';

/** Waits (ms) before the next attempt, each with jitter. */
const RETRIES_MS = [500, 2_500, 6_000];

/**
 * Imports the chunk. During a rolling deployment the request may reach an instance that does not have the chunk of this
 * loader: the import is repeated, then the loader is read anew, which names the present chunk.
 */
export class Chunk {
  private loading: Promise<ChatModule> | undefined;
  private useOther: ((path: string) => void) | undefined;

  /** @param path of the chunk, relative to `baseUrl` */
  constructor(
    private readonly baseUrl: string,
    private readonly path: string,
  ) {}

  load(): Promise<ChatModule> {
    this.loading ??= this.loadAnyhow().catch((error: unknown) => {
      this.loading = undefined;
      throw error;
    });
    return this.loading;
  }

  /** Called by a later loader. @param path of its chunk */
  adopt(path: string): void {
    this.useOther?.(path);
  }

  private async loadAnyhow(): Promise<ChatModule> {
    for (const [attempt, wait] of RETRIES_MS.entries()) {
      try {
        return await this.import(`${this.path}${attempt > 0 ? `?retry=${attempt}` : ''}`);
      } catch {
        await new Promise(resolve => setTimeout(resolve, wait * (0.5 + Math.random() / 2)));
      }
    }
    return this.import(await this.readPresentPath());
  }

  /** Imported and not added as an element, which the Trusted Types of a page may forbid. */
  private import(path: string): Promise<ChatModule> {
    return import(/* @vite-ignore */ this.baseUrl + path) as Promise<ChatModule>;
  }

  private async readPresentPath(): Promise<string> {
    const other = new Promise<string>(resolve => (this.useOther = resolve));
    await import(/* @vite-ignore */ `${this.baseUrl}widget.js?fresh=${Date.now()}`);
    return Promise.race([other, Promise.reject(new Error('the chat could not be loaded'))]);
  }
}
