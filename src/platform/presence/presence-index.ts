import { Logger } from '@nestjs/common';
import type { PresenceChange, PresenceListener } from './presence-change.js';

/**
 * The entries of each instance, merged. A subject is present in a group while at least one instance has an entry for
 * it.
 */
export class PresenceIndex {
  private readonly logger = new Logger('presence');
  /** By group and id, the metadata of each instance. The latest write is last in the map and wins. */
  private readonly groups = new Map<string, Map<string, Map<string, string>>>();
  /** By instance, its metadata by field. */
  private readonly byInstance = new Map<string, Map<string, string>>();
  private readonly listeners = new Set<{ listener: PresenceListener }>();

  /** @param metadata undefined removes the instance's entry @returns true when the entry changed */
  set(instanceId: string, field: string, metadata: string | undefined, at: number): boolean {
    const entries = this.byInstance.get(instanceId) ?? new Map<string, string>();
    if (entries.get(field) === metadata) return false;
    this.byInstance.set(instanceId, entries);
    if (metadata === undefined) entries.delete(field);
    else entries.set(field, metadata);
    const [group, id] = parseField(field);
    const before = this.findMetadata(group, id);
    this.write(instanceId, group, id, metadata);
    const after = this.findMetadata(group, id);
    if (before !== after) this.notifyListeners({ group, id, before, after, at });
    return true;
  }

  /** Replaces all entries of the instance. */
  replace(instanceId: string, entries: ReadonlyMap<string, string>, at: number): void {
    for (const field of [...this.entriesOf(instanceId).keys()])
      if (!entries.has(field)) this.set(instanceId, field, undefined, at);
    for (const [field, metadata] of entries) this.set(instanceId, field, metadata, at);
  }

  /** Removes the instance and its entries. */
  removeInstance(instanceId: string, at: number): void {
    this.replace(instanceId, new Map(), at);
    this.byInstance.delete(instanceId);
  }

  /** @returns the instance's metadata by field */
  entriesOf(instanceId: string): ReadonlyMap<string, string> {
    return this.byInstance.get(instanceId) ?? new Map<string, string>();
  }

  findMetadata(group: string, id: string): string | undefined {
    const byInstance = this.groups.get(group)?.get(id);
    return byInstance && [...byInstance.values()].at(-1);
  }

  listPresent(group: string): Map<string, string> {
    const present = [...(this.groups.get(group) ?? [])];
    return new Map(present.map(([id, byInstance]) => [id, [...byInstance.values()].at(-1) ?? '']));
  }

  listen(listener: PresenceListener): () => void {
    const registration = { listener };
    this.listeners.add(registration);
    return () => void this.listeners.delete(registration);
  }

  close(): void {
    this.listeners.clear();
  }

  private write(instanceId: string, group: string, id: string, metadata: string | undefined): void {
    const present = this.groups.get(group) ?? new Map<string, Map<string, string>>();
    const byInstance = present.get(id) ?? new Map<string, string>();
    byInstance.delete(instanceId);
    if (metadata !== undefined) byInstance.set(instanceId, metadata);
    if (byInstance.size > 0) present.set(id, byInstance);
    else present.delete(id);
    if (present.size > 0) this.groups.set(group, present);
    else this.groups.delete(group);
  }

  private notifyListeners(change: PresenceChange): void {
    for (const { listener } of [...this.listeners]) {
      try {
        listener(change);
      } catch (error) {
        this.logger.error(error);
      }
    }
  }
}

/** Encodes group and id as one text, as a field of the Redis hash. */
export function toField(group: string, id: string): string {
  return `${group} ${id}`;
}

function parseField(field: string): [group: string, id: string] {
  const space = field.indexOf(' ');
  return [field.slice(0, space), field.slice(space + 1)];
}
