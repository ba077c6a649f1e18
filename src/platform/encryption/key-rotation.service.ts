import { Injectable } from '@nestjs/common';
import { CipherService } from './cipher.service.js';
import type { KeyCount, RotatableColumn, EncryptedText, Reencryption } from './encrypted-columns.js';
import { EncryptedColumns } from './encrypted-columns.js';

const BATCH = 200;

/** The number of texts in one column under one key. */
export interface KeyUse extends KeyCount {
  column: string;
  /** Time until the texts expire, e.g. `24 hours`; null when they do not expire. */
  expiresAfter: string | null;
}

/** Re-encrypts stored texts under the newest key, so that older keys can be removed from the configuration. */
@Injectable()
export class KeyRotationService {
  constructor(
    private readonly columns: EncryptedColumns,
    private readonly cipher: CipherService,
  ) {}

  /**
   * Works in small batches while the service runs. An interrupted run can be repeated, because it only looks for texts
   * under other keys. A text that cannot be decrypted, because its key is missing or it was changed, stays as it is.
   * @param log receives a line of progress after each batch
   * @returns the number of texts that were rewritten
   */
  async run(log: (line: string) => void): Promise<number> {
    let rewritten = 0;
    for (const column of this.columns.all()) {
      if (column.expiresAfter === null) rewritten += await this.rewriteColumn(column, log);
    }
    return rewritten;
  }

  /** Counts the texts of every column by key. */
  async findKeyUses(): Promise<KeyUse[]> {
    const uses: KeyUse[] = [];
    for (const column of this.columns.all()) {
      const { name, expiresAfter } = column;
      uses.push(...(await column.keysInUse()).map(count => ({ ...count, column: name, expiresAfter })));
    }
    return uses;
  }

  private async rewriteColumn(column: RotatableColumn, log: (line: string) => void): Promise<number> {
    let [rewritten, unreadable] = [0, 0];
    let last: EncryptedText | null = null;
    for (;;) {
      const stale: EncryptedText[] = await column.findStale(last, this.cipher.newestKeyId, BATCH);
      last = stale.at(-1) ?? null;
      if (!last) return rewritten;
      const reencryptions = stale.flatMap(text => this.reencrypt(text, column.context) ?? []);
      unreadable += stale.length - reencryptions.length;
      rewritten += await column.replace(reencryptions);
      const without = unreadable > 0 ? `, ${unreadable} cannot be read and stay as they are` : '';
      log(`${column.name}: ${rewritten} rewritten${without}`);
    }
  }

  private reencrypt(source: EncryptedText, context: string): Reencryption | null {
    try {
      return { source, text: this.cipher.encrypt(this.cipher.decrypt(source.text, context), context) };
    } catch {
      return null;
    }
  }
}
