import { ApiError, type BulkActionBody, type ConversationView, type Priority, type Versioned } from '@support-chat/sdk';
import type { Desk } from '../desk/desk.js';
import type { OverlayFields } from '../store/row.js';
import { failureText } from './failure-text.js';
import { formats, t, type InboxText } from './texts/index.js';

interface Act {
  /** The rows show it before the service answers. */
  shown: OverlayFields;
  /** Calls the service for one conversation. */
  call(view: ConversationView, versioned: Versioned): Promise<ConversationView>;
  /** The same for several. */
  bulk: Omit<BulkActionBody, 'ids'>;
  /** Sentence after it; `{name}` or `{count}` tell of which. */
  done: InboxText;
  values?: Record<string, string>;
  /** Takes it back for a conversation as it was before. */
  inverse?(before: ConversationView): Promise<ConversationView>;
}

/**
 * Acts on conversations. Everything is shown at once; what the service refuses goes back, with its reason. The inverse
 * of the last action is offered for ten seconds.
 */
export class ConversationActions {
  constructor(
    private readonly desk: Desk,
    /** Names a conversation in a sentence. */
    private readonly nameOf: (view: ConversationView) => string,
  ) {}

  take(ids: readonly string[]): void {
    this.assign(ids, this.desk.memberId);
  }

  /** @param memberId null removes the assignee */
  assign(ids: readonly string[], memberId: string | null): void {
    const { agent, memberId: me } = this.desk;
    const name = memberId === null ? '' : (this.desk.directory.members.peek().get(memberId)?.name ?? '');
    this.act(ids, {
      shown: view => ({
        assignee_id: memberId,
        ...(view.status === 'pending' && memberId !== null && { status: 'open', control: 'human' as const }),
      }),
      call: ({ id }, versioned) =>
        memberId === me ? agent.conversations.take(id, versioned) : agent.conversations.assign(id, memberId, versioned),
      bulk: { action: 'assign', member_id: memberId },
      done: memberId === null ? 'doneUnassigned' : memberId === me ? 'doneTaken' : 'doneAssigned',
      values: { member: name },
      inverse: before => agent.conversations.assign(before.id, before.assignee_id),
    });
  }

  resolve(ids: readonly string[]): void {
    const { agent } = this.desk;
    this.act(ids, {
      shown: { status: 'resolved', snoozed_until: null, waiting_since: null },
      call: ({ id }, versioned) => agent.conversations.resolve(id, versioned),
      bulk: { action: 'resolve' },
      done: 'doneResolved',
      inverse: ({ id }) => agent.conversations.reopen(id),
    });
  }

  reopen(ids: readonly string[]): void {
    const { agent } = this.desk;
    this.act(ids, {
      shown: { status: 'open' },
      call: ({ id }, versioned) => agent.conversations.reopen(id, versioned),
      bulk: { action: 'reopen' },
      done: 'doneReopened',
      inverse: ({ id }) => agent.conversations.resolve(id),
    });
  }

  /** @param until undefined until the contact writes */
  snooze(ids: readonly string[], until: Date | undefined): void {
    const { agent } = this.desk;
    const body = until && { until: until.toISOString() };
    this.act(ids, {
      shown: { status: 'snoozed', snoozed_until: until?.toISOString() ?? null },
      call: ({ id }, versioned) => agent.conversations.snooze(id, { ...versioned, ...body }),
      bulk: { action: 'snooze', ...body },
      done: until ? 'doneSnoozed' : 'doneSnoozedUntilReply',
      values: { time: until ? `${formats().day(until.toISOString())} ${formats().clock(until.toISOString())}` : '' },
      inverse: before =>
        before.status === 'snoozed'
          ? agent.conversations.snooze(before.id, untilOf(before))
          : agent.conversations.wake(before.id),
    });
  }

  /** Ends a snooze. */
  wake(ids: readonly string[]): void {
    const { agent } = this.desk;
    this.act(ids, {
      shown: { status: 'open', snoozed_until: null },
      call: ({ id }, versioned) => agent.conversations.wake(id, versioned),
      bulk: { action: 'wake' },
      done: 'doneReopened',
      inverse: before => agent.conversations.snooze(before.id, untilOf(before)),
    });
  }

  setPriority(ids: readonly string[], priority: Priority): void {
    const { agent } = this.desk;
    this.act(ids, {
      shown: { priority },
      call: ({ id }, versioned) => agent.conversations.update(id, { ...versioned, priority }),
      bulk: { action: 'priority', priority },
      done: 'donePriority',
      values: { priority: t(`priority_${priority}`) },
      inverse: before => agent.conversations.update(before.id, { priority: before.priority }),
    });
  }

  /** Adds a tag, or removes it. */
  tag(ids: readonly string[], tag: string, isAdded: boolean): void {
    const { agent } = this.desk;
    const change = ({ tags }: ConversationView) => {
      const others = tags.filter(name => name !== tag);
      return { tags: isAdded ? [...others, tag] : others };
    };
    this.act(ids, {
      shown: change,
      call: (view, versioned) => agent.conversations.update(view.id, { ...versioned, ...change(view) }),
      bulk: { action: isAdded ? 'tag' : 'untag', tag },
      done: isAdded ? 'doneTagged' : 'doneUntagged',
      values: { tag },
      inverse: before => agent.conversations.update(before.id, { tags: before.tags }),
    });
  }

  /** Gives it back to the others, or takes it from a bot. */
  handOff(id: string): void {
    const { agent } = this.desk;
    this.act([id], {
      shown: { status: 'open', control: 'human', assignee_id: null },
      call: (view, versioned) => agent.conversations.handOff(view.id, versioned),
      bulk: { action: 'assign', member_id: null },
      done: 'doneHandedOff',
      inverse: before => agent.conversations.assign(before.id, before.assignee_id),
    });
  }

  private act(ids: readonly string[], action: Act): void {
    const { store } = this.desk;
    const views = ids.map(id => store.conversation(id).peek()).filter(view => view !== undefined);
    const [only] = views;
    if (!only) return;
    void (views.length === 1 ? this.actOnOne(only, action) : this.actOnSeveral(views, action));
  }

  private async actOnOne(before: ConversationView, action: Act): Promise<void> {
    const { store, toasts } = this.desk;
    const overlay = store.overlay(before.id, action.shown);
    const { done, values, inverse } = action;
    toasts.show({
      kind: 'done',
      text: t(done, { ...values, count: 1, name: this.nameOf(before) }),
      ...(inverse && {
        isUndo: true,
        action: t('undo'),
        act: () => void call.then(() => this.takeBack([before], inverse)),
      }),
    });
    const call = this.callOnce(before, action)
      .then(view => overlay.settle(view.version))
      .catch((error: unknown) => {
        overlay.undo();
        this.notify(error, before, () => this.act([before.id], action));
      });
    await call;
  }

  /** Messages of the member that are on their way come first: one after a resolve would reopen the conversation. */
  private async callOnce(before: ConversationView, { call }: Act): Promise<ConversationView> {
    const { store, outbox } = this.desk;
    const hasSent = await outbox.settle(before.id);
    // the first message in a bot's conversation changes its version
    const { version } = (hasSent && store.conversation(before.id).peek()) || before;
    const mark = store.mark();
    const view = await call(before, { expected_version: version });
    store.applyConversations([view], mark);
    return view;
  }

  private async actOnSeveral(before: readonly ConversationView[], action: Act): Promise<void> {
    const { store, toasts, agent, outbox } = this.desk;
    const overlays = new Map(before.map(({ id }) => [id, store.overlay(id, action.shown)]));
    const failed: ConversationView[] = [];
    let reason: unknown;
    await Promise.all(before.map(({ id }) => outbox.settle(id)));
    try {
      const { results } = await agent.conversations.bulk({ ...action.bulk, ids: before.map(({ id }) => id) });
      for (const { id, ok, error } of results) {
        if (ok) continue;
        reason = new ApiError({ status: 409, code: error?.code ?? 'unexpected', message: error?.message ?? '' });
        failed.push(...before.filter(view => view.id === id));
      }
    } catch (error) {
      reason = error;
      failed.push(...before);
    }
    const changed = before.filter(view => !failed.includes(view));
    await this.desk.reader.readConversations(changed.map(({ id }) => id));
    for (const overlay of overlays.values()) overlay.undo();
    const { done, values, inverse } = action;
    if (changed.length > 0) {
      toasts.show({
        kind: 'done',
        text: t(done, { ...values, count: changed.length, name: '' }),
        ...(inverse && { isUndo: true, action: t('undo'), act: () => void this.takeBack(changed, inverse) }),
      });
    }
    if (failed.length > 0) {
      const text = t('failedSeveral', { count: failed.length, reason: failureText(reason) });
      toasts.show({
        kind: 'failed',
        text,
        action: t('retry'),
        act: () =>
          this.act(
            failed.map(({ id }) => id),
            action,
          ),
      });
    }
  }

  private async takeBack(before: readonly ConversationView[], inverse: NonNullable<Act['inverse']>): Promise<void> {
    const { store, toasts } = this.desk;
    for (const view of before) {
      try {
        const mark = store.mark();
        store.applyConversations([await inverse(view)], mark);
      } catch (error) {
        toasts.show({ kind: 'failed', text: t('notUndone', { name: this.nameOf(view), reason: failureText(error) }) });
      }
    }
  }

  /** A conversation that somebody else has changed is read again before the action is offered once more. */
  private notify(error: unknown, view: ConversationView, retry: () => void): void {
    const isConflict = error instanceof ApiError && error.code === 'version_conflict';
    const reason = isConflict ? t('changedMeanwhile') : failureText(error);
    if (isConflict) void this.desk.reader.readConversations([view.id]);
    const text = t('failedOne', { name: this.nameOf(view), reason });
    this.desk.toasts.show({ kind: 'failed', text, action: t('retry'), act: retry });
  }
}

/** The end of the snooze of a conversation; without one, its contact's next message ends it. */
function untilOf({ snoozed_until: until }: ConversationView): { until?: string } {
  return until === null ? {} : { until };
}
