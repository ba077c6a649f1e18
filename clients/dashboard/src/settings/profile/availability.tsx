import type { Availability as State } from '@support-chat/sdk';
import { Choice } from '../../parts/choice.js';
import { useSession } from '../../session-context.js';
import { saveNow } from '../save-now.js';
import { Section } from '../screen.js';
import type { ProfilePartProps } from './identity.js';
import { t } from './texts/index.js';

const STATES: readonly State[] = ['online', 'away', 'offline'];

/** Saved at once, and can be undone. */
export function Availability({ profile, onChange }: ProfilePartProps) {
  const { agent } = useSession();
  const former = profile.availability;
  const choose = (availability: State) =>
    saveNow({
      show: () => onChange({ ...profile, availability }),
      save: () => agent.members.updateMe({ availability }),
      showFormer: () => onChange({ ...profile, availability: former }),
      saveFormer: () => agent.members.updateMe({ availability: former }),
      text: t('availabilitySaved', { state: t(availability) }),
    });
  return (
    <Section title={t('availability')} intro={t('availabilityHint')}>
      <Choice
        label={t('availability')}
        name="availability"
        value={former}
        options={STATES.map(value => ({ value, name: t(value) }))}
        onChange={availability => void choose(availability)}
      />
    </Section>
  );
}
