import type { UpdateChannelBody, WidgetSettingsView } from '@support-chat/sdk';
import type { TextKey } from '../texts/index.js';

/** Features that customers can have, with their texts. The rating follows the channel's `csat_enabled`. */
export const FEATURES = [
  { name: 'attachments', label: 'featureAttachments' },
  { name: 'emoji', label: 'featureEmoji' },
  { name: 'typing', label: 'featureTyping' },
  { name: 'read_receipts', label: 'featureReadReceipts' },
  { name: 'transcript', label: 'featureTranscript', hint: 'featureTranscriptHint' },
  { name: 'end_chat', label: 'featureEndChat', hint: 'featureEndChatHint' },
] as const satisfies readonly { name: keyof WidgetSettingsView['features']; label: TextKey; hint?: TextKey }[];

type FeatureField = `widget_config.features.${(typeof FEATURES)[number]['name']}`;

/** Fields of the form, by their names in the API. */
export type AppearanceField =
  | 'widget_config.title'
  | 'widget_config.greeting'
  | 'widget_config.locale'
  | 'widget_config.theme.primary_color'
  | 'widget_config.theme.mode'
  | 'widget_config.theme.position'
  | 'widget_config.theme.launcher_label'
  | 'widget_config.theme.logo_url'
  | FeatureField;

export type AppearanceValues = Record<AppearanceField, string>;
export const APPEARANCE_FAULTS = {
  'widget_config.title': 'chatTitleInvalid',
  'widget_config.greeting': 'greetingInvalid',
  'widget_config.theme.launcher_label': 'launcherLabelInvalid',
  'widget_config.locale': 'chatLocaleInvalid',
  'widget_config.theme.primary_color': 'colorInvalid',
  'widget_config.theme.logo_url': 'logoInvalid',
  'widget_config.theme.mode': 'unexpected',
  'widget_config.theme.position': 'unexpected',
  'widget_config.features.attachments': 'unexpected',
  'widget_config.features.emoji': 'unexpected',
  'widget_config.features.typing': 'unexpected',
  'widget_config.features.read_receipts': 'unexpected',
  'widget_config.features.transcript': 'unexpected',
  'widget_config.features.end_chat': 'unexpected',
} as const satisfies Record<AppearanceField, TextKey>;

export const OPTIONAL_FIELDS: readonly AppearanceField[] = [
  'widget_config.greeting',
  'widget_config.locale',
  'widget_config.theme.logo_url',
];

export function valuesOf({ title, greeting, locale, theme, features }: WidgetSettingsView): AppearanceValues {
  const { primary_color: color, mode, position, launcher_label: label, logo_url: logo } = theme;
  return {
    'widget_config.title': title,
    'widget_config.greeting': greeting,
    'widget_config.theme.launcher_label': label,
    'widget_config.locale': locale ?? '',
    'widget_config.theme.primary_color': color,
    'widget_config.theme.logo_url': logo ?? '',
    'widget_config.theme.mode': mode,
    'widget_config.theme.position': position,
    ...(Object.fromEntries(
      FEATURES.map(({ name }) => [`widget_config.features.${name}`, String(features[name])]),
    ) as Record<FeatureField, string>),
  };
}

/** The settings with the values of the form. */
export function settingsWith(saved: WidgetSettingsView, values: AppearanceValues): WidgetSettingsView {
  const isOn = (name: (typeof FEATURES)[number]['name']) => values[`widget_config.features.${name}`] === 'true';
  return {
    ...saved,
    title: values['widget_config.title'].trim(),
    greeting: values['widget_config.greeting'].trim(),
    locale: values['widget_config.locale'] || null,
    theme: {
      primary_color: values['widget_config.theme.primary_color'].trim(),
      mode: values['widget_config.theme.mode'] as WidgetSettingsView['theme']['mode'],
      position: values['widget_config.theme.position'] as WidgetSettingsView['theme']['position'],
      launcher_label: values['widget_config.theme.launcher_label'].trim(),
      logo_url: values['widget_config.theme.logo_url'].trim() || null,
    },
    features: { ...saved.features, ...Object.fromEntries(FEATURES.map(({ name }) => [name, isOn(name)])) },
  };
}

/** Only what the form shows: what others have changed elsewhere stays. */
export function toAppearanceBody(saved: WidgetSettingsView, values: AppearanceValues): UpdateChannelBody {
  const { title, greeting, locale, theme, features } = settingsWith(saved, values);
  const { csat: _decidedElsewhere, ...shown } = features;
  return { widget_config: { title, greeting, locale, theme, features: shown } };
}
