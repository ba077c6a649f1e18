import { Choice } from '../../parts/choice.js';
import { Switch } from '../../parts/switch.js';
import { preferences, setPreferences, type Theme } from '../../preferences.js';
import { Section } from '../screen.js';
import { Announcements } from './announcements.js';
import { t } from './texts/index.js';

const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

/** The choices that are stored in this browser. */
export function Appearance() {
  const { theme, singleKeys } = preferences();
  return (
    <Section title={t('browser')} intro={t('browserHint')}>
      <Choice
        label={t('theme')}
        name="theme"
        value={theme}
        options={THEMES.map(value => ({ value, name: t(value) }))}
        onChange={chosen => setPreferences({ theme: chosen })}
      />
      <Switch
        label={t('singleKeys')}
        hint={t('singleKeysHint')}
        isOn={singleKeys}
        onChange={isOn => setPreferences({ singleKeys: isOn })}
      />
      <Announcements />
    </Section>
  );
}
