import type { PreChatField } from '@support-chat/sdk';
import { Banner } from '../../../parts/banner.js';
import { Button } from '../../../parts/button.js';
import { Switch } from '../../../parts/switch.js';
import { SaveBar, Section } from '../../screen.js';
import type { ChannelPartProps } from '../channel-part.js';
import { t } from '../texts/index.js';
import { useChannelForm } from '../use-channel-form.js';
import { QuestionFields } from './question-fields.js';
import { cleanQuestion, faultsOf, MAX_QUESTIONS, newQuestion } from './questions.js';

const FIELDS = 'widget_config.pre_chat_form.fields';
const ENABLED = 'widget_config.pre_chat_form.enabled';

/** Questions that a customer answers before a conversation begins. */
export function PreChat(props: ChannelPartProps) {
  const { enabled, fields } = props.channel.widget_config.pre_chat_form;
  const form = useChannelForm({
    ...props,
    part: 'pre-chat',
    initial: { [ENABLED]: String(enabled), [FIELDS]: JSON.stringify(fields) },
    faults: { [ENABLED]: 'unexpected', [FIELDS]: 'preChatInvalid' },
    check: values => {
      const questions = questionsOf(values);
      const isWhole = questions.every(each => Object.keys(faultsOf(each, questions)).length === 0);
      return isWhole ? {} : { [FIELDS]: 'preChatInvalid' };
    },
    toBody: values => ({
      widget_config: {
        pre_chat_form: { enabled: values[ENABLED] === 'true', fields: questionsOf(values).map(cleanQuestion) },
      },
    }),
  });
  const questions = questionsOf(form.values);
  const fault = form.faultOf(FIELDS);
  const change = (next: PreChatField[]) => form.change(FIELDS, JSON.stringify(next));
  const replace = (index: number, ...others: PreChatField[]) =>
    change([...questions.slice(0, index), ...others, ...questions.slice(index + 1)]);
  return (
    <Section title={t('preChat')} intro={t('preChatHint')}>
      <form noValidate onSubmit={form.submit}>
        <Switch
          label={t('preChatOn')}
          hint={t('preChatOnHint')}
          isOn={form.values[ENABLED] === 'true'}
          onChange={isOn => form.change(ENABLED, String(isOn))}
        />
        {questions.map((question, index) => (
          <QuestionFields
            key={index}
            question={question}
            count={index + 1}
            faults={fault ? faultsOf(question, questions) : {}}
            onChange={changed => replace(index, changed)}
            onUp={() => change(movedUp(questions, index))}
            onRemove={() => replace(index)}
          />
        ))}
        {questions.length < MAX_QUESTIONS && (
          <div>
            <Button look="quiet" isSmall onClick={() => change([...questions, newQuestion(questions)])}>
              {t('questionAdd')}
            </Button>
          </div>
        )}
        {fault && <Banner kind="danger">{fault}</Banner>}
        <SaveBar form={form} />
      </form>
    </Section>
  );
}

const questionsOf = (values: Readonly<Record<string, string>>) => JSON.parse(values[FIELDS] ?? '[]') as PreChatField[];

function movedUp(questions: readonly PreChatField[], index: number): PreChatField[] {
  const moved = questions[index];
  const rest = questions.filter((_, at) => at !== index);
  return moved ? [...rest.slice(0, index - 1), moved, ...rest.slice(index - 1)] : rest;
}
