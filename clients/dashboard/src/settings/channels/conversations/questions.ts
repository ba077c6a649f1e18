import type { PreChatField } from '@support-chat/sdk';
import type { TextKey } from '../texts/index.js';

export const MAX_QUESTIONS = 20;
const KEY = /^[a-z0-9_]{1,50}$/;

/** Faults of one question, by its parts. */
export type QuestionFaults = Partial<Record<'label' | 'key' | 'options', TextKey>>;

/** Kinds of answers, in the order of the choice. */
export const ANSWER_TYPES: readonly { value: PreChatField['type']; name: TextKey }[] = [
  { value: 'text', name: 'typeText' },
  { value: 'textarea', name: 'typeTextarea' },
  { value: 'email', name: 'typeEmail' },
  { value: 'phone', name: 'typePhone' },
  { value: 'select', name: 'typeSelect' },
  { value: 'checkbox', name: 'typeCheckbox' },
];

/** A question with a key that no other one has. The first one asks for the name. */
export function newQuestion(questions: readonly PreChatField[]): PreChatField {
  const keys = questions.map(({ key }) => key);
  const candidates = ['name', 'email', ...Array.from({ length: MAX_QUESTIONS }, (_, index) => `question_${index + 1}`)];
  const key = candidates.find(each => !keys.includes(each)) ?? '';
  return { key, label: '', type: key === 'email' ? 'email' : 'text', required: false };
}

export function faultsOf(question: PreChatField, questions: readonly PreChatField[]): QuestionFaults {
  const { key, label, type, options = [] } = question;
  const isTaken = questions.some(other => other !== question && other.key === key);
  return {
    ...(label.trim() === '' && { label: 'questionLabelFault' }),
    ...((!KEY.test(key) || isTaken) && { key: 'questionKeyFault' }),
    ...(type === 'select' && options.every(option => option.trim() === '') && { options: 'questionOptionsFault' }),
  };
}

/** Texts without spaces around, and choices only where they count. */
export function cleanQuestion({ key, label, type, required, options = [] }: PreChatField): PreChatField {
  const choices = options.map(option => option.trim()).filter(Boolean);
  return { key, label: label.trim(), type, required, ...(type === 'select' && { options: choices }) };
}
