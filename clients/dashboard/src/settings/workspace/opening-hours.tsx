import { useState } from 'preact/hooks';
import type { BusinessHours } from '@support-chat/sdk';
import { Banner } from '../../parts/banner.js';
import { toasts } from '../../parts/toasts.js';
import { useSession } from '../../session-context.js';
import { faultOf } from '../business-hours/hours.js';
import { HoursEditor } from '../business-hours/hours-editor.js';
import { t as hoursText } from '../business-hours/texts/index.js';
import { describe } from '../errors.js';
import { Section, SaveButtons } from '../screen.js';
import type { WorkspacePartProps } from './general.js';
import { t } from './texts/index.js';

/** The hours of the workspace, with a form of their own. Unsaved ones stay after a failure. */
export function OpeningHours({ workspace, onChange }: WorkspacePartProps) {
  const { agent } = useSession();
  const saved = workspace.business_hours;
  const [hours, setHours] = useState<BusinessHours | null>(saved);
  const [failure, setFailure] = useState<string>();
  const [isSending, setSending] = useState(false);
  const save = async () => {
    const fault = faultOf(hours);
    setFailure(fault && hoursText(fault));
    if (fault) return;
    setSending(true);
    try {
      const changed = await agent.workspace.update({ business_hours: hours });
      onChange(changed);
      setHours(changed.business_hours);
      toasts.show({ kind: 'done', text: t('hoursSaved') });
    } catch (error) {
      setFailure(describe(error));
    }
    setSending(false);
  };
  return (
    <Section title={t('hours')} intro={t('hoursHint')}>
      <form
        noValidate
        onSubmit={event => {
          event.preventDefault();
          if (!isSending) void save();
        }}
      >
        <HoursEditor value={hours} onChange={setHours} />
        {failure && <Banner kind="danger">{failure}</Banner>}
        <SaveButtons
          isChanged={JSON.stringify(hours) !== JSON.stringify(saved)}
          isSending={isSending}
          onDiscard={() => {
            setHours(saved);
            setFailure(undefined);
          }}
        />
      </form>
    </Section>
  );
}
