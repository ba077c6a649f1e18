import { Logger } from '@nestjs/common';
import type { PresenceChange, PresenceListener } from './presence-change.js';

/** What each holder has entered, and what follows from all of it. Somebody is in a room while any holder says so. */
export class PresenceIndex {
  private readonly logger = new Logger('roster');
  /** By room and person, the notes of their holders; the latest word stands last, and holds. */
  private readonly rooms = new Map<string, Map<string, Map<string, string>>>();
  /** By holder, its notes by field. */
  private readonly owners = new Map<string, Map<string, string>>();
  private readonly listeners = new Set<{ hear: PresenceListener }>();

  /** @param note undefined: they are not here any more by this holder @returns whether anything is different */
  set(holder: string, field: string, note: string | undefined, at: number): boolean {
    const own = this.owners.get(holder) ?? new Map<string, string>();
    if (own.get(field) === note) return false;
    this.owners.set(holder, own);
    if (note === undefined) own.delete(field);
    else own.set(field, note);
    const [room, who] = parseField(field);
    const before = this.metadataOf(room, who);
    this.write(holder, room, who, note);
    const after = this.metadataOf(room, who);
    if (before !== after) this.notifyListeners({ room, who, before, after, at });
    return true;
  }

  /** The holder has entered these and nothing else. */
  replace(holder: string, entries: ReadonlyMap<string, string>, at: number): void {
    for (const field of [...this.entriesOf(holder).keys()])
      if (!entries.has(field)) this.set(holder, field, undefined, at);
    for (const [field, note] of entries) this.set(holder, field, note, at);
  }

  /** Forgets the holder and what it has entered. */
  drop(holder: string, at: number): void {
    this.replace(holder, new Map(), at);
    this.owners.delete(holder);
  }

  /** What a holder has entered, by field. */
  entriesOf(holder: string): ReadonlyMap<string, string> {
    return this.owners.get(holder) ?? new Map<string, string>();
  }

  metadataOf(room: string, who: string): string | undefined {
    const notes = this.rooms.get(room)?.get(who);
    return notes && [...notes.values()].at(-1);
  }

  present(room: string): Map<string, string> {
    const people = [...(this.rooms.get(room) ?? [])];
    return new Map(people.map(([who, notes]) => [who, [...notes.values()].at(-1) ?? '']));
  }

  listen(hear: PresenceListener): () => void {
    const own = { hear };
    this.listeners.add(own);
    return () => void this.listeners.delete(own);
  }

  close(): void {
    this.listeners.clear();
  }

  private write(holder: string, room: string, who: string, note: string | undefined): void {
    const people = this.rooms.get(room) ?? new Map<string, Map<string, string>>();
    const notes = people.get(who) ?? new Map<string, string>();
    notes.delete(holder);
    if (note !== undefined) notes.set(holder, note);
    if (notes.size > 0) people.set(who, notes);
    else people.delete(who);
    if (people.size > 0) this.rooms.set(room, people);
    else this.rooms.delete(room);
  }

  private notifyListeners(change: PresenceChange): void {
    for (const { hear } of [...this.listeners]) {
      try {
        hear(change);
      } catch (error) {
        this.logger.error(error);
      }
    }
  }
}

/** One text for a place in the book. */
export function fieldOf(room: string, who: string): string {
  return `${room} ${who}`;
}

function parseField(field: string): [room: string, who: string] {
  const space = field.indexOf(' ');
  return [field.slice(0, space), field.slice(space + 1)];
}
