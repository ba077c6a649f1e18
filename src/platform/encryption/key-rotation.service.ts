import { Injectable } from '@nestjs/common';
import { Cipher } from './cipher.js';
import type { KeyCount, RotatableColumn, EncryptedText, Reencryption } from './encrypted-columns.js';
import { EncryptedColumns } from './encrypted-columns.js';

const BATCH = 200;

/** What lies in one place under one key. */
export interface KeyUse extends KeyCount {
  what: string;
  /** When it is gone by itself; null: never. */
  within: string | null;
}

/** Brings what is encrypted under the newest key, so that older ones can be taken out of the configuration. */
@Injectable()
export class KeyRotationService {
  constructor(
    private readonly columns: EncryptedColumns,
    private readonly cipher: Cipher,
  ) {}

  /**
   * In small batches, while the service runs. Stopped in the middle, the next run goes on from there: it looks for
   * nothing but what is still under another key. A text whose key is gone, or that was tampered with, is left as it is.
   * @param say hears after each batch how far it is
   * @returns how many texts were rewritten, in all
   */
  async run(say: (line: string) => void): Promise<number> {
    let rewritten = 0;
    for (const place of this.columns.all()) {
      if (place.within === null) rewritten += await this.rewrite(place, say);
    }
    return rewritten;
  }

  /** Which keys what is encrypted lies under. */
  async uses(): Promise<KeyUse[]> {
    const uses: KeyUse[] = [];
    for (const place of this.columns.all()) {
      const { name: what, within } = place;
      uses.push(...(await place.keysInUse()).map(count => ({ ...count, what, within })));
    }
    return uses;
  }

  private async rewrite(place: RotatableColumn, say: (line: string) => void): Promise<number> {
    let [rewritten, unreadable] = [0, 0];
    let last: EncryptedText | null = null;
    for (;;) {
      const stale: EncryptedText[] = await place.staleAfter(last, this.cipher.newestKeyId, BATCH);
      last = stale.at(-1) ?? null;
      if (!last) return rewritten;
      const successions = stale.flatMap(text => this.reencrypt(text, place.context) ?? []);
      unreadable += stale.length - successions.length;
      rewritten += await place.replace(successions);
      const without = unreadable > 0 ? `, ${unreadable} cannot be read and stay as they are` : '';
      say(`${place.name}: ${rewritten} rewritten${without}`);
    }
  }

  private reencrypt(of: EncryptedText, context: string): Reencryption | null {
    try {
      return { of, text: this.cipher.encrypt(this.cipher.decrypt(of.text, context), context) };
    } catch {
      return null;
    }
  }
}
