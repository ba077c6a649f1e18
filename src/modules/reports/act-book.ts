import type { Act } from './fact.js';
import type { ConversationKey, Outcome } from './outcomes.repository.js';

type Kind = Outcome['kind'];

/** Collects acts that are counted together, and the earlier ones that they replace or take back. */
export class ActBook {
  readonly added: Act[] = [];
  readonly removed: Act[] = [];
  private readonly outcomes = new Map<string, Outcome>();
  private readonly changed = new Map<string, Outcome | null>();

  /** @param outcomes those of the conversations that the acts belong to */
  constructor(private readonly stored: readonly Outcome[]) {
    for (const outcome of stored) this.outcomes.set(textOf(outcome, outcome.kind), outcome);
  }

  add(act: Act): void {
    this.added.push(act);
  }

  addResolve(key: ConversationKey, messageId: string, act: Act): void {
    this.added.push(act);
    this.set(key, 'resolved', { ...key, kind: 'resolved', messageId, act });
  }

  /** The last rating of a conversation counts: it replaces the one before. */
  addRating(key: ConversationKey, act: Act): void {
    const before = this.outcomes.get(textOf(key, 'rated'));
    if (before) this.removed.push(before.act);
    this.added.push(act);
    this.set(key, 'rated', { ...key, kind: 'rated', messageId: null, act });
  }

  /** Takes a resolve back. Does nothing if it was not counted. @param messageId its timeline entry */
  withdrawResolve(key: ConversationKey, messageId: string): void {
    const resolve = this.outcomes.get(textOf(key, 'resolved'));
    if (resolve?.messageId !== messageId) return;
    this.removed.push(resolve.act);
    this.set(key, 'resolved', null);
  }

  isRated(key: ConversationKey): boolean {
    return this.outcomes.has(textOf(key, 'rated'));
  }

  /** Outcomes to save. */
  get saved(): Outcome[] {
    return [...this.changed.values()].filter(outcome => outcome !== null);
  }

  /** Stored outcomes to delete. */
  get deleted(): Outcome[] {
    return this.stored.filter(outcome => this.changed.get(textOf(outcome, outcome.kind)) === null);
  }

  private set(key: ConversationKey, kind: Kind, outcome: Outcome | null): void {
    const text = textOf(key, kind);
    this.changed.set(text, outcome);
    if (outcome) this.outcomes.set(text, outcome);
    else this.outcomes.delete(text);
  }
}

function textOf({ workspaceId, conversationId }: ConversationKey, kind: Kind): string {
  return `${workspaceId} ${conversationId} ${kind}`;
}
