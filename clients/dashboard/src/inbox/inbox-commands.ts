import { signal } from '@preact/signals';
import type { ConversationView } from '@support-chat/sdk';
import type { Desk } from '../desk/desk.js';
import type { Mode } from '../desk/drafts.js';
import type { Command } from './commands.js';
import { ConversationActions } from './conversation-actions.js';
import { ALL_FILTERS, type FilterMenu } from './filters/filter-menu.js';
import { contactName } from './names.js';
import type { Selection } from './selection.js';

/** A menu that an action opens. */
export type Menu = 'assign' | 'tags' | 'priority' | 'snooze' | 'palette';

/** The present screen, for commands. It is read when one runs. */
export interface InboxContext {
  viewPath: string;
  /** Rows of the list, in order. */
  ids: readonly string[];
  openId: string | undefined;
  open(id: string | undefined): void;
  openView(path: string): void;
  /** Views by their order in the rail. */
  viewPaths: readonly string[];
}

const VIEW_KEYS: Record<string, string> = {
  mine: 'g m',
  unassigned: 'g u',
  waiting: 'g w',
  mentioned: 'g n',
  all: 'g a',
};

/** The commands of the inbox, and the state of its menus. */
export class InboxCommands {
  readonly actions: ConversationActions;
  readonly mode = signal<Mode>('reply');
  readonly menu = signal<Menu | undefined>(undefined);
  readonly filterMenu = signal<FilterMenu | undefined>(undefined);
  readonly isHelpOpen = signal(false);
  readonly all: readonly Command[];

  constructor(
    private readonly desk: Desk,
    private readonly selection: Selection,
    private readonly context: () => InboxContext,
  ) {
    this.actions = new ConversationActions(desk, view => contactName(view.contact));
    this.all = [...this.moves(), ...this.acts(), ...this.writes(), ...this.jumps()];
  }

  /** Resolves a conversation after its reply. @param isShown true if it is open, so that the next one is shown */
  async resolveSent(id: string, isShown: boolean): Promise<void> {
    await this.desk.reader.readConversations([id]);
    const { ids, openId, open } = this.context();
    const after = isShown && openId === id ? following(ids, id, [id]) : undefined;
    this.actions.resolve([id]);
    if (after !== undefined) open(after);
  }

  /** Snoozes a conversation after its reply. @param until undefined until the contact writes */
  async snoozeSent(id: string, until: Date | undefined): Promise<void> {
    await this.desk.reader.readConversations([id]);
    this.actions.snooze([id], until);
  }

  /** The chosen conversations, or the open one. */
  get targets(): ConversationView[] {
    const chosen = this.selection.ids.value;
    const { openId } = this.context();
    const ids = chosen.length > 0 ? chosen : openId === undefined ? [] : [openId];
    return ids.flatMap(id => this.desk.store.conversation(id).value ?? []);
  }

  private moves(): Command[] {
    return [
      { id: 'next', name: 'next', keys: ['j'], group: 'groupMove', run: () => this.step(1) },
      { id: 'previous', name: 'previous', keys: ['k'], group: 'groupMove', run: () => this.step(-1) },
      { id: 'back', name: 'backToList', keys: ['u'], group: 'groupMove', run: () => this.context().open(undefined) },
      { id: 'nextView', name: 'nextView', keys: [']'], group: 'groupMove', run: () => this.stepView(1) },
      { id: 'previousView', name: 'previousView', keys: ['['], group: 'groupMove', run: () => this.stepView(-1) },
      { id: 'choose', name: 'choose', keys: ['x'], group: 'groupMove', run: () => this.choose() },
      { id: 'chooseNext', name: 'chooseNext', keys: ['Shift+J'], group: 'groupMove', run: () => this.extend(1) },
      {
        id: 'choosePrevious',
        name: 'choosePrevious',
        keys: ['Shift+K'],
        group: 'groupMove',
        run: () => this.extend(-1),
      },
      { id: 'search', name: 'search', keys: ['/'], group: 'groupMove', run: () => focusOn('inbox-search') },
      {
        id: 'filter',
        name: 'filterList',
        keys: ['f'],
        group: 'groupMove',
        run: () => (this.filterMenu.value = ALL_FILTERS),
      },
      { id: 'palette', name: 'palette', keys: ['$mod+k'], group: 'groupMove', run: () => this.openMenu('palette') },
      { id: 'help', name: 'keys', keys: ['Shift+?'], group: 'groupMove', run: () => (this.isHelpOpen.value = true) },
    ];
  }

  private acts(): Command[] {
    const { actions, desk } = this;
    const are = (test: (view: ConversationView) => boolean) => () => this.targets.some(test);
    const onTargets =
      (run: (ids: string[]) => void, next = false) =>
      () => {
        const ids = this.targets.map(({ id }) => id);
        if (ids.length === 0) return;
        const { ids: rows, openId, open } = this.context();
        const after = next && openId !== undefined && ids.includes(openId) ? following(rows, openId, ids) : undefined;
        run(ids);
        this.selection.clear();
        if (after !== undefined) open(after);
      };
    return [
      {
        id: 'resolve',
        name: 'resolve',
        keys: ['e'],
        group: 'groupAct',
        isPossible: are(({ status }) => status !== 'resolved'),
        run: onTargets(ids => actions.resolve(ids), true),
      },
      {
        id: 'reopen',
        name: 'reopen',
        keys: ['Shift+E'],
        group: 'groupAct',
        isPossible: are(({ status }) => status === 'resolved'),
        run: onTargets(ids => actions.reopen(ids)),
      },
      {
        id: 'take',
        name: 'take',
        keys: ['t'],
        group: 'groupAct',
        isPossible: are(({ assignee_id, status }) => assignee_id !== desk.memberId && status !== 'resolved'),
        run: onTargets(ids => actions.take(ids)),
      },
      {
        id: 'assign',
        name: 'assign',
        keys: ['a'],
        group: 'groupAct',
        isPossible: are(() => true),
        run: () => this.openMenu('assign'),
      },
      {
        id: 'tags',
        name: 'tags',
        keys: ['l'],
        group: 'groupAct',
        isPossible: are(() => true),
        run: () => this.openMenu('tags'),
      },
      {
        id: 'priority',
        name: 'priority',
        keys: ['p'],
        group: 'groupAct',
        isPossible: are(() => true),
        run: () => this.openMenu('priority'),
      },
      {
        id: 'snooze',
        name: 'snooze',
        keys: ['h'],
        group: 'groupAct',
        isPossible: are(({ status }) => status === 'open' || status === 'snoozed'),
        run: () => this.openMenu('snooze'),
      },
      {
        id: 'wake',
        name: 'wake',
        keys: ['Shift+H'],
        group: 'groupAct',
        isPossible: are(({ status }) => status === 'snoozed'),
        run: onTargets(ids => actions.wake(ids)),
      },
      {
        id: 'handOff',
        name: 'handOff',
        keys: [],
        group: 'groupAct',
        isPossible: are(
          ({ status, assignee_id }) => status === 'pending' || (status === 'open' && assignee_id !== null),
        ),
        run: () => this.targets.slice(0, 1).forEach(({ id }) => actions.handOff(id)),
      },
      { id: 'undo', name: 'undo', keys: ['z'], group: 'groupAct', run: () => void desk.toasts.undo() },
    ];
  }

  private writes(): Command[] {
    const write = (mode: Mode) => () => {
      this.mode.value = mode;
      requestAnimationFrame(() => document.querySelector<HTMLElement>('.composer textarea')?.focus());
    };
    const isPossible = () => this.context().openId !== undefined;
    return [
      { id: 'reply', name: 'modeReply', keys: ['r'], group: 'groupWrite', isPossible, run: write('reply') },
      { id: 'note', name: 'modeNote', keys: ['n'], group: 'groupWrite', isPossible, run: write('note') },
    ];
  }

  private jumps(): Command[] {
    return Object.entries(VIEW_KEYS).map(([path, keys]) => ({
      id: `view ${path}`,
      name: path as 'mine' | 'unassigned' | 'waiting' | 'mentioned' | 'all',
      keys: [keys],
      group: 'groupGo' as const,
      run: () => this.context().openView(path),
    }));
  }

  private openMenu(menu: Menu): void {
    if (menu === 'palette' || this.targets.length > 0) this.menu.value = menu;
  }

  /** @returns the conversation that is open now; undefined at the end of the list */
  private step(by: 1 | -1): string | undefined {
    const { ids, openId, open } = this.context();
    const index = openId === undefined ? -1 : ids.indexOf(openId);
    const next = index < 0 ? ids[0] : ids[index + by];
    if (next !== undefined) open(next);
    return next;
  }

  private extend(by: 1 | -1): void {
    const { openId } = this.context();
    this.selection.add([openId, this.step(by)].filter(id => id !== undefined));
  }

  private choose(): void {
    const { openId } = this.context();
    if (openId !== undefined) this.selection.toggle(openId);
  }

  private stepView(by: 1 | -1): void {
    const { viewPaths, viewPath, openView } = this.context();
    const next = viewPaths[viewPaths.indexOf(viewPath) + by];
    if (next !== undefined) openView(next);
  }
}

/** The row that follows when some leave the list. */
function following(rows: readonly string[], openId: string, leaving: readonly string[]): string | undefined {
  const index = rows.indexOf(openId);
  const stays = (id: string) => !leaving.includes(id);
  return rows.slice(index + 1).find(stays) ?? rows.slice(0, Math.max(0, index)).findLast(stays);
}

function focusOn(id: string): void {
  document.getElementById(id)?.focus();
}
