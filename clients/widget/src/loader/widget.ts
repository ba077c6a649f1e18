import type { WidgetConfigView } from '@support-chat/sdk';
import type { WidgetEvent, WidgetEvents, WidgetState } from '../api.js';
import type { Chat, Shell, StartOptions } from '../seam.js';
import type { Chunk } from './chunk.js';
import { scheduleGreeting, type Greeting } from './greeting.js';
import { addHost } from './host.js';
import { drawLauncher } from './launcher.js';
import { addPanel } from './panel.js';
import type { SafeStorage } from './storage.js';
import { readableOn } from './readable-on.js';

/** Above what pages usually have, and below the maximum, so that a page can go above it. */
const DEFAULT_LAYER = 2_147_483_000;

export interface WidgetOptions {
  baseUrl: string;
  widgetToken: string;
  mode: Shell['mode'];
  boot: StartOptions;
  config: WidgetConfigView;
  chunk: Chunk;
  storage: SafeStorage;
  /** Storage of the tab: whether the panel is open. */
  tab: SafeStorage;
  emit<Event extends WidgetEvent>(event: Event, detail: WidgetEvents[Event]): void;
}

/** The widget on the page. */
export interface Widget {
  readonly state: WidgetState;
  open(): void;
  close(): void;
  toggle(): void;
  setLauncher(isShown: boolean): void;
  /** Runs something with the chat, which is loaded first. Resolves when it has run. */
  withChat(use: (chat: Chat) => unknown): Promise<void>;
  /** Runs something with the chat if it has been started; otherwise it will start with the latest options. */
  withChatIfStarted(use: (chat: Chat) => unknown): Promise<void>;
  remove(): Promise<void>;
}

/** Adds launcher and panel to the page, and the chat once it is needed. */
export function addWidget(options: WidgetOptions): Widget {
  const { baseUrl, widgetToken, mode, boot, config, chunk, storage, tab, emit } = options;
  const { theme } = config;
  const state: WidgetState = { isOpen: false, unread: 0 };
  const prefix = `support-chat:${widgetToken}:`;
  const isPage = mode === 'page';
  const host = addHost();
  const { root, element } = host;
  const launcher = drawLauncher(root);
  const { button } = launcher;
  const panel = addPanel(root, isPage, close);
  let starting: Promise<Chat | undefined> | undefined;
  let started: Chat | undefined;
  let label = theme.launcher_label || 'Chat';
  let isRemoved = false;
  let greeting: Greeting | undefined;

  function show(): void {
    launcher.show(label, state.unread, state.isOpen);
  }

  /** @param byVisitor false if the panel was open on the page before; it then takes no focus */
  function open(byVisitor = true): void {
    if (state.isOpen) return;
    state.isOpen = true;
    greeting?.remove();
    tab.set(`${prefix}open`, '1');
    show();
    emit('open', undefined);
    void withChat(chat => {
      if (!state.isOpen) return;
      panel.open();
      chat.opened(byVisitor);
    });
  }

  function close(): void {
    if (!state.isOpen || isPage) return;
    state.isOpen = false;
    tab.set(`${prefix}open`, null);
    const hadFocus = root.activeElement;
    panel.close();
    show();
    if (hadFocus) button.focus();
    started?.closed();
    emit('close', undefined);
  }

  async function withChat(use: (chat: Chat) => unknown): Promise<void> {
    starting ??= start();
    const chat = await starting;
    if (chat && !isRemoved) await use(chat);
  }

  async function start(): Promise<Chat | undefined> {
    button.ariaBusy = 'true';
    try {
      started = await (await chunk.load()).start(shell);
      return started;
    } catch (error) {
      starting = undefined;
      emit('error', error as Error);
      close();
      return undefined;
    } finally {
      button.ariaBusy = null;
    }
  }

  const shell: Shell = {
    baseUrl,
    widgetToken,
    config,
    root,
    panel: panel.dialog,
    mode,
    options: boot,
    storage,
    setUnread(count, name) {
      const hasChanged = count !== state.unread;
      state.unread = count;
      label = name;
      storage.set(`${prefix}unread`, `${count}`);
      show();
      if (hasChanged) emit('unread', count);
    },
    emit,
    open,
    close,
  };

  const setLauncher = (isShown: boolean): void => {
    button.hidden = !isShown;
    if (!isShown) greeting?.remove();
  };

  /** Greets a visitor who is new, unless another page of this visit has done so. */
  function greet(): void {
    const hasStarted = state.isOpen || starting;
    if (!config.greeting || boot.hideGreeting || button.hidden || hasStarted) return;
    if (tab.get(`${prefix}greeted`) || storage.get(`${prefix}greeted`)) return;
    const closeGreeting = (): void => {
      storage.set(`${prefix}greeted`, '1');
      greeting?.remove();
      button.focus();
    };
    greeting = scheduleGreeting(
      baseUrl,
      root,
      {
        text: config.greeting,
        title: config.title || 'Chat',
        theme: boot.theme ?? theme.mode,
        locale: boot.locale ?? config.locale ?? navigator.language,
        onOpen: () => open(),
        onClose: closeGreeting,
      },
      () => tab.set(`${prefix}greeted`, '1'),
    );
  }

  const { style, dataset } = element;
  const setStyle = (name: string, value: string): void => style.setProperty(name, value, 'important');
  setStyle('--launcher', theme.primary_color);
  setStyle('--launcher-text', readableOn(theme.primary_color));
  setStyle('--layer', `${boot.zIndex ?? DEFAULT_LAYER}`);
  dataset.side = boot.position ?? theme.position;
  setLauncher(!boot.hideLauncher && !isPage);
  show();
  const toggle = (): void => (state.isOpen ? close() : open());
  button.addEventListener('click', toggle);
  for (const intent of ['pointerenter', 'focus']) {
    button.addEventListener(intent, () => void chunk.load().catch(() => undefined), { once: true });
  }
  if (isPage || tab.get(`${prefix}open`)) open(isPage);
  else if (storage.get(`${prefix}session`) || storage.keys().some(key => key.startsWith(`${prefix}outbox:`)))
    void withChat(() => undefined);
  greet();

  // another tab has begun a chat
  const onStorage = ({ key, newValue }: StorageEvent): void => {
    if (newValue && key === `${prefix}session`) void withChat(() => undefined);
  };
  addEventListener('storage', onStorage);

  return {
    state,
    open,
    close,
    toggle,
    setLauncher,
    withChat,
    withChatIfStarted: async use => {
      if (starting) await withChat(use);
    },
    async remove() {
      isRemoved = true;
      greeting?.remove();
      removeEventListener('storage', onStorage);
      await started?.shutdown();
      panel.remove();
      host.remove();
      for (const each of [storage, tab]) {
        for (const key of each.keys()) if (key.startsWith(prefix)) each.set(key, null);
      }
    },
  };
}
