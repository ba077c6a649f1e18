import type { PreChatForm } from './pre-chat-form.js';

/** Look and features of a channel's widget. */
export interface WidgetConfig {
  title: string;
  greeting: string;
  away_message: string;
  /** BCP 47. Null: the language of the visitor's browser. */
  locale: string | null;
  theme: {
    primary_color: string;
    mode: 'light' | 'dark' | 'auto';
    position: 'left' | 'right';
    launcher_label: string;
    logo_url: string | null;
  };
  pre_chat_form: PreChatForm;
  features: {
    attachments: boolean;
    emoji: boolean;
    typing: boolean;
    read_receipts: boolean;
    csat: boolean;
    transcript: boolean;
    /** Lets visitors end their chat. */
    end_chat: boolean;
  };
}

type DeepPartial<T> = {
  [K in keyof T]?: (T[K] extends unknown[] ? T[K] : T[K] extends object ? DeepPartial<T[K]> : T[K]) | undefined;
};
export type WidgetConfigChanges = DeepPartial<WidgetConfig>;

export const DEFAULT_WIDGET_CONFIG: WidgetConfig = {
  title: 'Chat with us',
  greeting: 'Hello! How can we help?',
  away_message: '',
  locale: null,
  theme: { primary_color: '#2563eb', mode: 'auto', position: 'right', launcher_label: 'Chat', logo_url: null },
  pre_chat_form: { enabled: false, fields: [] },
  features: {
    attachments: true,
    emoji: true,
    typing: true,
    read_receipts: true,
    csat: true,
    transcript: true,
    end_chat: false,
  },
};

/** Merges the changes into the present config. Lists are replaced as a whole. */
export function changeWidgetConfig(present: WidgetConfig, changes: WidgetConfigChanges): WidgetConfig {
  const { theme, pre_chat_form, features, ...plain } = changes;
  return {
    ...present,
    ...withoutUndefined(plain),
    theme: { ...present.theme, ...withoutUndefined(theme) },
    pre_chat_form: { ...present.pre_chat_form, ...withoutUndefined(pre_chat_form) },
    features: { ...present.features, ...withoutUndefined(features) },
  } as WidgetConfig;
}

/** Drops undefined values, which a spread would copy over present ones. */
function withoutUndefined<T extends object>(changes: T | undefined): Partial<T> {
  return Object.fromEntries(Object.entries(changes ?? {}).filter(([, value]) => value !== undefined)) as Partial<T>;
}
