import type { WidgetConfigView } from '@support-chat/sdk';
import type { Attributes, BootOptions, Identity, Theme, WidgetEvents } from './api.js';
import type { SafeStorage } from './loader/storage.js';

/**
 * The interface between the loader and the chunk. During a rolling deployment the two may come from different
 * versions, so members are only added here, and the chunk treats later ones as optional.
 */

/** Options of the page, with those that it has set by other calls. */
export interface StartOptions extends BootOptions {
  /** Default: the browser's page. */
  page?: { url: string; title: string };
}

/** Given to the chunk by the loader. */
export interface Shell {
  /** E.g. `https://chat.example/`. */
  baseUrl: string;
  widgetToken: string;
  config: WidgetConfigView;
  root: ShadowRoot;
  /** The chunk renders into it. */
  panel: HTMLElement;
  /** `page`: the panel is the whole page, without a launcher and a close button. */
  mode: 'bubble' | 'page';
  options: StartOptions;
  /** Keys start with `support-chat:<widget token>:`. */
  storage: SafeStorage;
  /** @param label name of the launcher, in the visitor's language */
  setUnread(count: number, label: string): void;
  emit<Event extends 'message' | 'error'>(event: Event, detail: WidgetEvents[Event]): void;
  /** Opens the panel, e.g. from a greeting beside the launcher. */
  open(): void;
  /** Hides the panel. */
  close(): void;
}

/** Given to the loader by the chunk. */
export interface Chat {
  /** The panel has become visible. @param byVisitor false when it was open on the page before */
  opened(byVisitor: boolean): void;
  closed(): void;
  identify(identity: Identity): Promise<void>;
  setAttributes(attributes: Attributes): Promise<void>;
  newMessage(text?: string): void;
  openConversation(id: string): void;
  setLocale(locale: string): void;
  setTheme(theme: Theme): void;
  setPage(url?: string, title?: string): void;
  /** Closes connections and stops timers. The loader then removes what is stored. */
  shutdown(): Promise<void>;
}

/** The module of the chunk. */
export interface ChatModule {
  start(shell: Shell): Promise<Chat>;
}
