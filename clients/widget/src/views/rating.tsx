import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { rate } from '../actions.js';
import type { MessageKey } from '../messages.js';
import type { Thread } from '../state/thread.js';
import { useChat } from './use-chat.js';

/** Mouths from very bad to very good, on a grid of 24. */
const MOUTHS = [
  'M7.5 17a5 5 0 019 0',
  'M8 16.5a6 6 0 018 0',
  'M8 16h8',
  'M8 15a6 6 0 008 0',
  'M7 14a5.2 5.2 0 0010 0z',
];

/** Shown below an ended conversation: five faces, then a comment. */
export function Rating({ thread }: { thread: Thread }): VNode {
  const chat = useChat();
  const { text } = chat.translator;
  const [score, setScore] = useState(0);
  const { id, csat } = thread.view;
  const hasAnswer = thread.messages.some(each => each.sender_type !== 'contact' && each.content_type !== 'event');
  const asks = chat.config.features.csat && !csat && hasAnswer;
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const comment = (event.currentTarget as HTMLFormElement).elements.namedItem('comment') as HTMLTextAreaElement;
    void chat.perform(() => rate(chat, id, score, comment.value.trim()));
  };
  return (
    <div class="card">
      {csat && <p>{text('ratingThanks')}</p>}
      {asks && (
        <form onSubmit={submit}>
          <fieldset class="faces-of-rating">
            <legend>{text('rate')}</legend>
            {MOUTHS.map((mouth, index) => (
              <label key={mouth} title={text(`rate${index + 1}` as MessageKey)}>
                <input type="radio" name="score" checked={score === index + 1} onChange={() => setScore(index + 1)} />
                <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
                  <path d={`M12 22a10 10 0 100-20 10 10 0 000 20zM8.5 9.5v.5M15.5 9.5v.5${mouth}`} />
                </svg>
                <span class="hidden">{text(`rate${index + 1}` as MessageKey)}</span>
              </label>
            ))}
          </fieldset>
          {score > 0 && (
            <>
              <label for="comment">{text('rateComment')}</label>
              <textarea id="comment" name="comment" rows={2} maxLength={2000} dir="auto" />
              <button class="primary">{text('sendRating')}</button>
            </>
          )}
        </form>
      )}
      <button class="secondary" onClick={() => chat.restart()}>
        {text('startAgain')}
      </button>
    </div>
  );
}
