import { useEffect, useRef } from 'preact/hooks';
import { useForm } from '../../forms/use-form.js';
import { toasts } from '../../parts/toasts.js';
import { useSession } from '../../session-context.js';
import { SaveBar, Section } from '../screen.js';
import { BOT_FORM, BotFields } from './bot-fields.js';
import type { BotPartProps } from './bot-part.js';
import { changesOf, valuesOf, type BotField } from './bot-values.js';
import { t, type TextKey } from './texts/index.js';

export function BotSettings({ bot, onChange }: BotPartProps) {
  const { agent, me } = useSession();
  const isSaved = useRef(false);
  const initial = valuesOf(bot);
  const form = useForm<BotField, TextKey>({
    ...BOT_FORM,
    initial,
    draft: `${me.member.id}:bot:${bot.id}`,
    send: async values => {
      const changed = await agent.bots.update(bot.id, changesOf(values, initial));
      isSaved.current = true;
      onChange(changed);
      toasts.show({ kind: 'done', text: t('botSaved', { name: changed.name }) });
    },
  });
  useEffect(() => {
    // the service answers without the query of the address, which this page then forgets
    if (isSaved.current) form.reset();
    isSaved.current = false;
  }, [bot]);
  return (
    <Section title={t('general')}>
      <form noValidate onSubmit={form.submit}>
        <BotFields form={form} />
        <SaveBar form={form} />
      </form>
    </Section>
  );
}
