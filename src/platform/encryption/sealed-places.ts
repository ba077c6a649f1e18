import { Injectable } from '@nestjs/common';

/** How many texts of a place lie under the key of that name. */
export interface KeyCount {
  keyId: string;
  texts: number;
}

interface Place {
  /** What lies there, for whoever reads how far a rotation is. */
  readonly what: string;
  keysInUse(): Promise<KeyCount[]>;
}

/** Texts that are gone before anybody would have rewritten them. */
export interface PassingPlace extends Place {
  /** How long they last: `24 hours`. */
  readonly within: string;
}

/** Texts that stay, and must be rewritten before their key can go. */
export interface LastingPlace extends Place {
  readonly within: null;
  /** What they were encrypted for. */
  readonly context: string;
  /** Those that do not lie under the key of this name, in the order of their places, beginning after one of them. */
  staleAfter(after: SealedText | null, keyId: string, limit: number): Promise<SealedText[]>;
  /** Writes each text's successor, unless another has been written meanwhile. @returns how many were written */
  replace(successions: readonly Succession[]): Promise<number>;
}

export type SealedPlace = PassingPlace | LastingPlace;

export interface SealedText {
  workspaceId: string;
  id: string;
  text: string;
}

export interface Succession {
  of: SealedText;
  text: string;
}

/** Where texts lie that the cipher has sealed. Whoever keeps some puts its place on this list when it is made. */
@Injectable()
export class SealedPlaces {
  private readonly places: SealedPlace[] = [];

  add(place: SealedPlace): void {
    this.places.push(place);
  }

  all(): readonly SealedPlace[] {
    return this.places;
  }
}
