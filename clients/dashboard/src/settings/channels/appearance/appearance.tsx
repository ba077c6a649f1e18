import { Choice } from '../../../parts/choice.js';
import { Field } from '../../../parts/field.js';
import { Select } from '../../../parts/select.js';
import { Switch } from '../../../parts/switch.js';
import { TextArea } from '../../../parts/text-area.js';
import { SaveBar, Section } from '../../screen.js';
import { localeName } from '../../workspace/locales.js';
import type { ChannelPartProps } from '../channel-part.js';
import { t } from '../texts/index.js';
import { useChannelForm } from '../use-channel-form.js';
import {
  APPEARANCE_FAULTS,
  FEATURES,
  OPTIONAL_FIELDS,
  settingsWith,
  toAppearanceBody,
  valuesOf,
  type AppearanceField,
} from './appearance-values.js';
import { ColorField } from './color-field.js';
import { Preview } from './preview.js';
import { WIDGET_LOCALES } from './widget-locales.js';

const COLOR = /^#[0-9a-f]{6}$/i;

/** Look, texts and features of the widget, beside the widget itself. */
export function Appearance(props: ChannelPartProps) {
  const saved = props.channel.widget_config;
  const form = useChannelForm<AppearanceField>({
    ...props,
    part: 'appearance',
    initial: valuesOf(saved),
    faults: APPEARANCE_FAULTS,
    optional: OPTIONAL_FIELDS,
    savedText: 'appearanceSaved',
    check: values =>
      COLOR.test(values['widget_config.theme.primary_color'].trim())
        ? {}
        : { 'widget_config.theme.primary_color': 'colorInvalid' },
    toBody: values => toAppearanceBody(saved, values),
  });
  const choose = (name: AppearanceField) => (value: string) => form.change(name, value);
  return (
    <form class="configurator" noValidate onSubmit={form.submit}>
      <div class="controls">
        <Section title={t('look')}>
          <ColorField form={form} name="widget_config.theme.primary_color" />
          <Field form={form} name="widget_config.theme.logo_url" type="url" label={t('logo')} hint={t('logoHint')} />
          <LabelledChoice
            label={t('position')}
            name="position"
            value={form.values['widget_config.theme.position']}
            options={[
              { value: 'right', name: t('positionRight') },
              { value: 'left', name: t('positionLeft') },
            ]}
            onChange={choose('widget_config.theme.position')}
          />
          <LabelledChoice
            label={t('mode')}
            name="mode"
            value={form.values['widget_config.theme.mode']}
            options={[
              { value: 'auto', name: t('modeAuto') },
              { value: 'light', name: t('modeLight') },
              { value: 'dark', name: t('modeDark') },
            ]}
            onChange={choose('widget_config.theme.mode')}
          />
        </Section>
        <Section title={t('texts')}>
          <Field form={form} name="widget_config.title" label={t('chatTitle')} hint={t('chatTitleHint')} />
          <TextArea form={form} name="widget_config.greeting" rows={3} label={t('greeting')} hint={t('greetingHint')} />
          <Field
            form={form}
            name="widget_config.theme.launcher_label"
            label={t('launcherLabel')}
            hint={t('launcherLabelHint')}
          />
          <Select
            label={t('chatLocale')}
            name="widget_config.locale"
            value={form.values['widget_config.locale']}
            options={[
              { value: '', name: t('visitorLocale') },
              ...WIDGET_LOCALES.map(value => ({ value, name: localeName(value) })),
            ]}
            hint={t('chatLocaleHint')}
            fault={form.faultOf('widget_config.locale')}
            onChange={choose('widget_config.locale')}
          />
        </Section>
        <Section title={t('features')}>
          {FEATURES.map(feature => {
            const name = `widget_config.features.${feature.name}` as const;
            return (
              <Switch
                key={name}
                label={t(feature.label)}
                hint={'hint' in feature ? t(feature.hint) : undefined}
                isOn={form.values[name] === 'true'}
                onChange={isOn => form.change(name, String(isOn))}
              />
            );
          })}
        </Section>
        <SaveBar form={form} />
      </div>
      <Preview channel={props.channel} settings={settingsWith(saved, form.values)} />
    </form>
  );
}

interface LabelledChoiceProps {
  label: string;
  name: string;
  value: string;
  options: readonly { value: string; name: string }[];
  onChange(value: string): void;
}

/** The legend of the choice itself is for screen readers only. */
function LabelledChoice({ label, ...choice }: LabelledChoiceProps) {
  return (
    <div class="field">
      <span class="choice-label" aria-hidden="true">
        {label}
      </span>
      <Choice label={label} {...choice} />
    </div>
  );
}
