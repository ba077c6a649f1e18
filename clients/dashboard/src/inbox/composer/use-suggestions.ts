import type { CannedResponseView, ConversationView } from '@support-chat/sdk';
import type { RefObject } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { useDesk } from '../../desk/desk-context.js';
import type { Draft, Mode } from '../../desk/drafts.js';
import { t } from '../texts/index.js';
import { findEmoji } from './emoji-codes.js';
import type { Suggestion } from './suggestions.js';
import { composerText } from './texts/index.js';
import { findTrigger, findVariables, insertAt, type Trigger } from './trigger.js';

const SHOWN = 8;
const SEARCH_AFTER_MS = 120;

interface SuggestionContext {
  view: ConversationView;
  mode: Mode;
  field: RefObject<HTMLTextAreaElement | null>;
  draft: Draft;
  write(text: string, mentions?: readonly string[]): void;
}

/** Saved answers after `/`, emoji after `:`, and in notes members after `@`. */
export function useSuggestions({ view, mode, field, draft, write }: SuggestionContext) {
  const { directory, agent, memberId } = useDesk();
  const id = useId();
  const [trigger, setTrigger] = useState<Trigger>();
  const [active, setActive] = useState(0);
  const answers = useAnswers(trigger?.sign === '/' ? trigger.query : undefined);

  const items = suggest().slice(0, SHOWN);
  const activeIndex = Math.min(active, items.length - 1);

  const update = () => {
    const { current } = field;
    if (!current) return;
    setActive(0);
    setTrigger(findTrigger(current.value, current.selectionStart, mode === 'note' ? '/@:' : '/:'));
  };
  const insert = (at: Trigger, inserted: string, mentions: readonly string[]) => {
    const { current } = field;
    const next = insertAt(current?.value ?? draft.text, at, inserted);
    const variable = findVariables(inserted)[0];
    const from = next.caret - inserted.length;
    const [start, end] = variable ? [from + variable.start, from + variable.end] : [next.caret, next.caret];
    if (current) {
      // at once, so that what is typed before the next rendering stands after it
      current.value = next.text;
      current.focus();
      current.setSelectionRange(start, end);
    }
    write(next.text, mentions);
    setTrigger(undefined);
  };
  const pick = (item: Suggestion | undefined) => {
    if (!trigger || !item) return;
    if (trigger.sign === ':') return insert(trigger, item.id, draft.mentions);
    if (trigger.sign === '@') return insert(trigger, `@${item.name} `, [...new Set([...draft.mentions, item.id])]);
    agent.cannedResponses.render(item.id, view.id).then(
      rendered => insert(trigger, rendered.content, draft.mentions),
      () => insert(trigger, answers.find(answer => answer.id === item.id)?.content ?? '', draft.mentions),
    );
  };
  /** @returns true if the key was for the list */
  const onKeyDown = (event: KeyboardEvent): boolean => {
    if (items.length === 0) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setActive((activeIndex + step + items.length) % items.length);
    else if (event.key === 'Enter' || event.key === 'Tab') pick(items[activeIndex]);
    else if (event.key === 'Escape') setTrigger(undefined);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  const label = trigger?.sign === ':' ? composerText('emoji') : t(trigger?.sign === '@' ? 'members' : 'savedAnswers');
  return {
    items,
    activeId: items.length > 0 ? `${id}-${activeIndex}` : undefined,
    list: { id, label, items, activeIndex, onPick: pick },
    update,
    onKeyDown,
  };

  function suggest(): Suggestion[] {
    const query = trigger?.query.toLowerCase() ?? '';
    switch (trigger?.sign) {
      case '@':
        return directory.activeMembers.value
          .filter(({ id: member, name }) => member !== memberId && name.toLowerCase().includes(query))
          .map(({ id: member, name, email }) => ({ id: member, name, hint: email }));
      case ':':
        return findEmoji(query).map(({ code, emoji }) => ({ id: emoji, name: emoji, hint: `:${code}` }));
      case '/':
        return answers.map(({ id: answer, title, short_code, content }) => {
          return { id: answer, name: title, hint: `/${short_code}`, preview: content };
        });
      default:
        return [];
    }
  }
}

/** Saved answers that match, as the service finds them. */
function useAnswers(query: string | undefined): readonly CannedResponseView[] {
  const { agent } = useDesk();
  const [answers, setAnswers] = useState<readonly CannedResponseView[]>([]);
  useEffect(() => {
    if (query === undefined) return setAnswers([]);
    let isCurrent = true;
    const timer = setTimeout(() => {
      agent.cannedResponses.list({ limit: SHOWN, ...(query !== '' && { query }) }).then(
        ({ items }) => isCurrent && setAnswers(items),
        () => undefined,
      );
    }, SEARCH_AFTER_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [agent, query]);
  return answers;
}
