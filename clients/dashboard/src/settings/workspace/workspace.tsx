import type { WorkspaceView } from '@support-chat/sdk';
import { LoadFailure } from '../../parts/page-list.js';
import { Skeleton } from '../../parts/skeleton.js';
import { useLoaded } from '../../parts/use-loaded.js';
import { useSession } from '../../session-context.js';
import { accessOf } from '../access.js';
import { HoursText } from '../business-hours/hours-text.js';
import { Facts, Screen, Section } from '../screen.js';
import { General } from './general.js';
import { OpeningHours } from './opening-hours.js';
import { t } from './texts/index.js';
import { localeName } from './locales.js';

/** Name, language, time zone and opening hours. Agents can read them. */
export default function Workspace() {
  const { agent, me } = useSession();
  const { value, error, reload, set } = useLoaded(() => agent.workspace.get());
  const { isAdmin } = accessOf(me);
  return (
    <Screen title={t('workspace')} intro={t('intro')} isReadOnly={!isAdmin}>
      {!value && error === undefined && <Skeleton />}
      {!value && error !== undefined && <LoadFailure error={error} onRetry={() => void reload()} />}
      {value && !isAdmin && <ReadOnly workspace={value} />}
      {value && isAdmin && (
        <>
          <General workspace={value} onChange={set} />
          <OpeningHours workspace={value} onChange={set} />
        </>
      )}
    </Screen>
  );
}

function ReadOnly({ workspace }: { workspace: WorkspaceView }) {
  const { name, locale, timezone, business_hours: hours } = workspace;
  const facts = [
    [t('companyName'), name],
    [t('locale'), localeName(locale)],
    [t('timezone'), timezone],
  ] as const;
  return (
    <>
      <Section title={t('general')}>
        <Facts facts={facts} />
      </Section>
      <Section title={t('hours')}>
        <HoursText value={hours} />
      </Section>
    </>
  );
}
