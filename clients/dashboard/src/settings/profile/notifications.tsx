import type { ProfileView } from '@support-chat/sdk';
import { Checks } from '../../parts/checks.js';
import { useSession } from '../../session-context.js';
import { saveNow } from '../save-now.js';
import { Section } from '../screen.js';
import type { ProfilePartProps } from './identity.js';
import { t } from './texts/index.js';

type Settings = ProfileView['notification_settings'];

const OCCASIONS = ['assigned', 'mentioned', 'replied'] as const satisfies readonly (keyof Settings)[];

/** Notifications in the dashboard and by e-mail. Saved at once, and can be undone. */
export function Notifications({ profile, onChange }: ProfilePartProps) {
  const { agent } = useSession();
  const present = profile.notification_settings;
  const choose = (occasion: keyof Settings, chosen: readonly string[]) => {
    const former = { [occasion]: present[occasion] };
    const next = { [occasion]: { app: chosen.includes('app'), email: chosen.includes('email') } };
    const show = (change: Partial<Settings>) =>
      onChange({ ...profile, notification_settings: { ...present, ...change } });
    return saveNow({
      show: () => show(next),
      save: () => agent.members.updateMe({ notification_settings: next }),
      showFormer: () => show(former),
      saveFormer: () => agent.members.updateMe({ notification_settings: former }),
      text: t('notificationsSaved'),
    });
  };
  const options = [
    { value: 'app', name: t('inApp') },
    { value: 'email', name: t('byEmail') },
  ];
  return (
    <Section title={t('notifications')} intro={t('notificationsHint', { email: profile.email })}>
      {OCCASIONS.map(occasion => (
        <Checks
          key={occasion}
          label={t(occasion)}
          options={options}
          chosen={(['app', 'email'] as const).filter(way => present[occasion][way])}
          onChange={chosen => void choose(occasion, chosen)}
        />
      ))}
    </Section>
  );
}
