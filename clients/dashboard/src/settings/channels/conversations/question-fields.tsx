import type { PreChatField } from '@support-chat/sdk';
import { Button } from '../../../parts/button.js';
import { FieldFrame } from '../../../parts/field-frame.js';
import { Select } from '../../../parts/select.js';
import { t } from '../texts/index.js';
import { ANSWER_TYPES, type QuestionFaults } from './questions.js';

export interface QuestionFieldsProps {
  question: PreChatField;
  /** From 1. */
  count: number;
  faults: QuestionFaults;
  onChange(question: PreChatField): void;
  onUp(): void;
  onRemove(): void;
}

/** One question before the chat. */
export function QuestionFields({ question, count, faults, onChange, onUp, onRemove }: QuestionFieldsProps) {
  const change = (part: Partial<PreChatField>) => onChange({ ...question, ...part });
  return (
    <div class="question" role="group" aria-label={t('question', { count })}>
      <FieldFrame label={t('questionLabel', { count })} fault={faults.label && t(faults.label)}>
        {attributes => (
          <input
            {...attributes}
            type="text"
            dir="auto"
            maxLength={200}
            value={question.label}
            onInput={event => change({ label: event.currentTarget.value })}
          />
        )}
      </FieldFrame>
      <div class="question-pair">
        <Select
          label={t('questionType', { count })}
          value={question.type}
          options={ANSWER_TYPES.map(({ value, name }) => ({ value, name: t(name) }))}
          onChange={type => change({ type })}
        />
        <FieldFrame
          label={t('questionKey', { count })}
          hint={count === 1 ? t('questionKeyHint') : undefined}
          fault={faults.key && t(faults.key)}
        >
          {attributes => (
            <input
              {...attributes}
              type="text"
              dir="ltr"
              maxLength={50}
              autocapitalize="none"
              spellcheck={false}
              value={question.key}
              onInput={event => change({ key: event.currentTarget.value })}
            />
          )}
        </FieldFrame>
      </div>
      {question.type === 'select' && (
        <FieldFrame
          label={t('questionOptions', { count })}
          hint={t('questionOptionsHint')}
          fault={faults.options && t(faults.options)}
        >
          {attributes => (
            <textarea
              {...attributes}
              rows={3}
              dir="auto"
              value={(question.options ?? []).join('\n')}
              onInput={event => change({ options: event.currentTarget.value.split('\n') })}
            />
          )}
        </FieldFrame>
      )}
      <div class="question-actions">
        <label>
          <input
            type="checkbox"
            checked={question.required}
            onChange={event => change({ required: event.currentTarget.checked })}
          />
          <span>{t('questionRequired')}</span>
        </label>
        {count > 1 && (
          <Button look="quiet" isSmall name={t('questionUp', { count })} onClick={onUp}>
            ↑
          </Button>
        )}
        <Button look="quiet" isSmall name={t('questionRemove', { count })} onClick={onRemove}>
          ×
        </Button>
      </div>
    </div>
  );
}
