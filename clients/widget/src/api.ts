/** The widget's interface for scripts of the page: `SupportChat('open')` or, once loaded, `SupportChat.open()`. */

export type Theme = 'light' | 'dark' | 'auto';
export type Attributes = Record<string, unknown>;

/** The page's knowledge of its visitor. */
export interface Identity {
  /** The page's own id of its user. Ignored without `identityToken`, unless the channel verifies no identities. */
  externalId?: string;
  /** Proof of `externalId`, signed by the page's server. A function is called at each renewal. */
  identityToken?: string | (() => string | Promise<string>);
  name?: string;
  email?: string;
  phone?: string;
}

export interface BootOptions extends Identity {
  /** Default: the script element's `data-widget-token`. */
  widgetToken?: string;
  /** Where the service is, e.g. `https://chat.example/`. Default: where the script came from. */
  baseUrl?: string;
  /** BCP 47, e.g. `pt-BR`. Default: the channel's, then the browser's. */
  locale?: string;
  theme?: Theme;
  position?: 'left' | 'right';
  hideLauncher?: boolean;
  /** Shows no greeting beside the launcher. */
  hideGreeting?: boolean;
  /** Default 2147483000. */
  zIndex?: number;
  /** Custom attributes of the contact. */
  attributes?: Attributes;
}

/** The payload of each event, as listeners receive it. */
export interface WidgetEvents {
  ready: undefined;
  open: undefined;
  close: undefined;
  /** Number of messages that the visitor has not seen. */
  unread: number;
  /** A message that a person or a bot of the company has sent. */
  message: { conversationId: string; id: string; text: string; sender: string };
  error: Error;
}
export type WidgetEvent = keyof WidgetEvents;

export interface Methods {
  /** Shows the launcher. Called by the script itself if its element has `data-widget-token`. */
  boot(options?: BootOptions): void;
  /** Removes the widget and forgets the visitor in this browser. Call it when the visitor logs out of the site. */
  shutdown(): Promise<void>;
  /** Names the visitor. Another `externalId` than before forgets the former visitor first. */
  identify(identity: Identity): Promise<void>;
  setAttributes(attributes: Attributes): Promise<void>;
  open(): void;
  close(): void;
  toggle(): void;
  /** Shows the launcher. */
  show(): void;
  /** Hides the launcher and closes the panel. */
  hide(): void;
  /** Opens the panel with a new message. @param text fills the composer */
  newMessage(text?: string): void;
  openConversation(id: string): void;
  setLocale(locale: string): void;
  setTheme(theme: Theme): void;
  /** Tells agents the page that the visitor sees, after a navigation without a reload. Default: the browser's page. */
  setPage(url?: string, title?: string): void;
  /** @returns a function that removes the listener */
  on<Event extends WidgetEvent>(event: Event, listener: (detail: WidgetEvents[Event]) => void): () => void;
}

export interface WidgetState {
  isOpen: boolean;
  unread: number;
}

export interface SupportChat extends Methods {
  <Name extends keyof Methods>(method: Name, ...args: Parameters<Methods[Name]>): ReturnType<Methods[Name]>;
  /** Resolves when the launcher is shown. Stays pending if the channel does not accept this page. */
  readonly ready: Promise<void>;
  readonly state: WidgetState;
}

declare global {
  interface Window {
    /** Before the script is loaded, a function of the page that collects calls. */
    SupportChat?: SupportChat;
  }
}
