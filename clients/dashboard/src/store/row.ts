import type { ContactSummaryView, ConversationView } from '@support-chat/sdk';
import type { ListedRow } from './conversation-list.js';
import type { Conversation } from './conversation.js';
import type { TagRenames } from './tag-renames.js';

/** Fields of an action that the service has not confirmed, or how they follow from those below. */
export type OverlayFields = Partial<ConversationView> | ((view: ConversationView) => Partial<ConversationView>);

/** An action that is shown before the service confirms it. */
export interface Overlay {
  /** Shows the conversation without the action, because it failed or its response was applied. */
  undo(): void;
  /** Keeps it until the conversation has this version, by whichever frame or response comes first. */
  settle(version: number): void;
}

interface Layer {
  fields: OverlayFields;
  version?: number;
}

/** A conversation as it is shown: its state, its contact, the present names of its tags, and unconfirmed actions. */
export class Row implements ListedRow {
  shown: ConversationView | undefined;
  isStale = false;
  private readonly layers: Layer[] = [];

  /**
   * @param changedAt position of the latest frame or response that changed it
   */
  constructor(
    public conversation: Conversation,
    public changedAt: number,
  ) {}

  get id(): string {
    return this.conversation.fields.id;
  }

  get contactId(): string {
    return this.conversation.fields.contact_id;
  }

  /** Composes `shown`. Actions that the state contains are removed. */
  compose(contact: ContactSummaryView, renames: TagRenames): ConversationView {
    const { version: known } = this.conversation.fields;
    const isPending = ({ version }: Layer) => version === undefined || version > known;
    this.layers.splice(0, this.layers.length, ...this.layers.filter(isPending));
    let view = this.confirmed(contact, renames);
    for (const { fields: over } of this.layers) view = { ...view, ...(typeof over === 'function' ? over(view) : over) };
    return (this.shown = view);
  }

  /** The conversation without unconfirmed actions. */
  confirmed(contact: ContactSummaryView, renames: TagRenames): ConversationView {
    const { fields, tagsAt } = this.conversation;
    const tags = fields.tags.length === 0 ? fields.tags : renames.translate(fields.tags, tagsAt);
    return { ...fields, tags, contact };
  }

  /** @param onChange is called when the row has to be composed again */
  overlay(fields: OverlayFields, onChange: () => void): Overlay {
    const layer: Layer = { fields };
    this.layers.push(layer);
    onChange();
    return {
      undo: () => {
        const index = this.layers.indexOf(layer);
        if (index < 0) return;
        this.layers.splice(index, 1);
        onChange();
      },
      settle: version => {
        layer.version = version;
        onChange();
      },
    };
  }
}
