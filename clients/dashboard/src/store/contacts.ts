import type { ContactSummaryView, ContactView } from '@support-chat/sdk';
import type { ReadonlySignal } from '@preact/signals';
import { SignalMap } from './signal-map.js';

interface Entry {
  summary: ContactSummaryView;
  full?: ContactView;
  /** Position of the frame or response that it comes from. */
  changedAt: number;
}

/**
 * Contacts by id. Whole contacts follow `updated_at`. A summary has no time, so it counts only if its request began after
 * the last change.
 */
export class Contacts {
  private readonly entries = new Map<string, Entry>();
  private readonly views = new SignalMap<ContactView>();
  private readonly mergedInto = new Map<string, string>();
  private readonly erasedIds = new Set<string>();
  /** Whole contacts of requests before this position may be of another history of the service. */
  private staleAt = 0;

  /** The whole contact; undefined until it was read or changed. */
  view(id: string): ReadonlySignal<ContactView | undefined> {
    return this.views.get(id);
  }

  has(id: string): boolean {
    return this.entries.has(id);
  }

  /** True for an erased contact, and for one that was merged into it. */
  isErased(id: string): boolean {
    const into = this.mergedInto.get(id);
    return this.erasedIds.has(id) || (into !== undefined && this.isErased(into));
  }

  /** The contact as lists show it. Leads from a merged contact to the remaining one. */
  summary(id: string): ContactSummaryView | undefined {
    const into = this.mergedInto.get(id);
    return this.entries.get(id)?.summary ?? (into === undefined ? undefined : this.summary(into));
  }

  /** @param position of the response @returns true if it changed the contact */
  applySummary(summary: ContactSummaryView, mark: number, position: number): boolean {
    const { id } = summary;
    const known = this.entries.get(id);
    if (this.isGone(id) || (known && known.changedAt > mark)) return false;
    this.entries.set(id, { ...known, summary, changedAt: position });
    return !known || !isSame(known.summary, summary);
  }

  /** @param mark of the request; frames have none @returns true if it is newer than what was known */
  applyView(view: ContactView, position: number, mark = position): boolean {
    const { id } = view;
    const known = this.entries.get(id);
    if (this.isGone(id)) return false;
    const isOlder = known?.full !== undefined && view.updated_at < known.full.updated_at;
    if (isOlder && (known.changedAt >= this.staleAt || mark < this.staleAt)) return false;
    const full = { ...known?.full, ...view };
    this.entries.set(id, { summary: summaryOf(view), full, changedAt: position });
    this.views.set(id, full);
    return true;
  }

  merge(id: string, intoId: string): void {
    this.mergedInto.set(id, intoId);
    this.remove(id);
  }

  /**
   * Forgets a person for ever; later frames and responses do not bring it back.
   * @returns its id, and those of contacts that were merged into it
   */
  erase(id: string): string[] {
    this.erasedIds.add(id);
    const ids = [id, ...[...this.mergedInto.keys()].filter(from => this.isErased(from))];
    for (const erased of ids) this.remove(erased);
    return ids;
  }

  /** From now on responses replace also what seems newer. */
  setStale(mark: number): void {
    this.staleAt = mark;
  }

  private isGone(id: string): boolean {
    return this.erasedIds.has(id) || this.mergedInto.has(id);
  }

  private remove(id: string): void {
    this.entries.delete(id);
    this.views.delete(id);
  }
}

function summaryOf({ id, name, email, avatar_url, verified }: ContactView): ContactSummaryView {
  return { id, name, email, avatar_url, verified };
}

function isSame(a: ContactSummaryView, b: ContactSummaryView): boolean {
  return a.name === b.name && a.email === b.email && a.avatar_url === b.avatar_url && a.verified === b.verified;
}
