import { Injectable } from '@nestjs/common';

/** How many texts of a place lie under the key of that name. */
export interface KeyCount {
  keyId: string;
  texts: number;
}

interface Place {
  /** What lies there, for whoever reads how far a rotation is. */
  readonly name: string;
  keysInUse(): Promise<KeyCount[]>;
}

/** Texts that are gone before anybody would have rewritten them. */
export interface ExpiringColumn extends Place {
  /** How long they last: `24 hours`. */
  readonly within: string;
}

/** Texts that stay, and must be rewritten before their key can go. */
export interface RotatableColumn extends Place {
  readonly within: null;
  /** What they were encrypted for. */
  readonly context: string;
  /** Those that do not lie under the key of this name, in the order of their places, beginning after one of them. */
  staleAfter(after: EncryptedText | null, keyId: string, limit: number): Promise<EncryptedText[]>;
  /** Writes each text's successor, unless another has been written meanwhile. @returns how many were written */
  replace(successions: readonly Reencryption[]): Promise<number>;
}

export type EncryptedColumn = ExpiringColumn | RotatableColumn;

export interface EncryptedText {
  workspaceId: string;
  id: string;
  text: string;
}

export interface Reencryption {
  of: EncryptedText;
  text: string;
}

/** Where texts lie that the cipher has sealed. Whoever keeps some puts its place on this list when it is made. */
@Injectable()
export class EncryptedColumns {
  private readonly columns: EncryptedColumn[] = [];

  add(place: EncryptedColumn): void {
    this.columns.push(place);
  }

  all(): readonly EncryptedColumn[] {
    return this.columns;
  }
}
