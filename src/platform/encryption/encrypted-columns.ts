import { Injectable } from '@nestjs/common';

/** The number of texts of a column that are encrypted under one key. */
export interface KeyCount {
  keyId: string;
  texts: number;
}

interface ColumnInfo {
  /** Name of the stored texts in the output of a key rotation. */
  readonly name: string;
  keysInUse(): Promise<KeyCount[]>;
}

/** A column whose texts expire, so that a rotation does not rewrite them. */
interface ExpiringColumn extends ColumnInfo {
  /** Lifetime of the texts, e.g. `24 hours`. */
  readonly expiresAfter: string;
}

/** A column whose texts stay. They must be rewritten before their key can be removed. */
export interface RotatableColumn extends ColumnInfo {
  readonly expiresAfter: null;
  /** The cipher context of the texts. */
  readonly context: string;
  /** Finds texts under other keys than this one, in key order, after `after`. */
  findStale(after: EncryptedText | null, keyId: string, limit: number): Promise<EncryptedText[]>;
  /** Writes the new texts, except where the old text has changed meanwhile. @returns the number written */
  replace(reencryptions: readonly Reencryption[]): Promise<number>;
}

export type EncryptedColumn = ExpiringColumn | RotatableColumn;

export interface EncryptedText {
  workspaceId: string;
  id: string;
  text: string;
}

export interface Reencryption {
  source: EncryptedText;
  text: string;
}

/** Registry of all columns with encrypted texts. Each repository of such a column adds itself when it is created. */
@Injectable()
export class EncryptedColumns {
  private readonly columns: EncryptedColumn[] = [];

  add(column: EncryptedColumn): void {
    this.columns.push(column);
  }

  all(): readonly EncryptedColumn[] {
    return this.columns;
  }
}
