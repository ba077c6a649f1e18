import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { Button } from '../../parts/button.js';
import { Confirmation } from '../../parts/confirmation.js';
import { Field } from '../../parts/field.js';
import { Switch } from '../../parts/switch.js';
import { toasts } from '../../parts/toasts.js';
import { useSession } from '../../session-context.js';
import { describe } from '../errors.js';
import { saveNow } from '../save-now.js';
import { SaveBar, Section } from '../screen.js';
import type { ChannelPartProps } from './channel-part.js';
import { t } from './texts/index.js';
import { useChannelForm } from './use-channel-form.js';

/** Name, state and deletion. */
export function General(props: ChannelPartProps) {
  const { channel } = props;
  const form = useChannelForm({
    ...props,
    part: 'name',
    initial: { name: channel.name },
    faults: { name: 'channelNameInvalid' },
    toBody: ({ name }) => ({ name: name.trim() }),
  });
  return (
    <>
      <Section title={t('tabGeneral')}>
        <form noValidate onSubmit={form.submit}>
          <Field form={form} name="name" label={t('channelName')} hint={t('channelNameHint')} />
          <SaveBar form={form} />
        </form>
      </Section>
      <State {...props} />
      <Deletion {...props} />
    </>
  );
}

function State({ channel, onChange }: ChannelPartProps) {
  const { agent } = useSession();
  const { id, name, status } = channel;
  const change = (isActive: boolean) => {
    const next = isActive ? 'active' : 'disabled';
    void saveNow({
      show: () => onChange({ ...channel, status: next }),
      save: async () => onChange(await agent.channels.update(id, { status: next })),
      showFormer: () => onChange({ ...channel, status }),
      saveFormer: async () => onChange(await agent.channels.update(id, { status })),
      text: t(isActive ? 'switchedOn' : 'switchedOff', { name }),
    });
  };
  return (
    <Section title={t('state')}>
      <Switch label={t('isActive')} hint={t('isActiveHint')} isOn={status === 'active'} onChange={change} />
    </Section>
  );
}

function Deletion({ channel: { id, name } }: ChannelPartProps) {
  const { agent } = useSession();
  const [, navigate] = useLocation();
  const [isAsking, setAsking] = useState(false);
  return (
    <Section title={t('danger')} intro={t('dangerHint')}>
      <div>
        <Button look="danger" onClick={() => setAsking(true)}>
          {t('deleteChannel')}
        </Button>
      </div>
      {isAsking && (
        <Confirmation
          title={t('deleteTitle', { name })}
          action={t('deleteChannel')}
          describe={describe}
          typedName={name}
          onConfirm={async () => {
            await agent.channels.delete(id);
            toasts.show({ kind: 'done', text: t('deleted', { name }) });
            navigate('/settings/channels');
          }}
          onClose={() => setAsking(false)}
        >
          <p>{t('deleteText')}</p>
        </Confirmation>
      )}
    </Section>
  );
}
