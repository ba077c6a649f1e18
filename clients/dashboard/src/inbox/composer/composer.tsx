import type { ConversationView } from '@support-chat/sdk';
import { ATTACH, SEND, icon } from '@support-chat/ui/icons.jsx';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../parts/button.js';
import { useDesk } from '../../desk/desk-context.js';
import type { Mode } from '../../desk/drafts.js';
import { preferences } from '../../preferences.js';
import { keyLabel } from '../commands.js';
import { formats, t } from '../texts/index.js';
import { editLastOwn } from '../timeline/edits.js';
import { EmojiButton } from './emoji-button.js';
import { Files } from './files.js';
import { Quoted } from './quoted.js';
import { SendMenu } from './send-menu.js';
import { Suggestions } from './suggestions.js';
import { findVariables, mentionsIn } from './trigger.js';
import { useSuggestions } from './use-suggestions.js';
import { useTyping } from './use-typing.js';
import { MAX_FILES, uploadsFor } from './uploads.js';
import { composerText } from './texts/index.js';

const MAX_CHARS = 20_000;
/** The counter is shown this near to the limit. */
const COUNTED_CHARS = 1_000;

/** Called when the service has the message. */
type FollowUp = () => void;

/** Actions that follow a reply. */
export interface AfterSending {
  /** @param isShown true if the next conversation is shown then */
  resolve(conversationId: string, isShown: boolean): void;
  /** @param until undefined until the contact writes */
  snooze(conversationId: string, until: Date | undefined): void;
}

export interface ComposerProps {
  view: ConversationView;
  mode: Mode;
  onMode(mode: Mode): void;
  /** `seq` of the newest message on the screen. */
  lastSeq: number;
  /** Names of colleagues who write an answer now. */
  repliers: readonly string[];
  after: AfterSending;
}

/** Writes answers and notes. What is typed is stored, and stays until it is sent. */
export function Composer({ view, mode, onMode, lastSeq, repliers, after }: ComposerProps) {
  const desk = useDesk();
  const { drafts, outbox, agent, store, memberId, directory } = desk;
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const isShown = useIsShown();
  const uploads = uploadsFor(agent, view.id, mode);
  const [hasTooMany, setTooMany] = useState(false);
  const draft = drafts.of(view.id, mode);
  const { text } = draft;
  const isNote = mode === 'note';
  const length = text.trim().length;
  const canSend = (length > 0 || uploads.all.value.length > 0) && length <= MAX_CHARS && uploads.isReady;
  const write = (next: string, mentions = draft.mentions) =>
    drafts.set(view.id, mode, { ...draft, text: next, mentions });
  const suggestions = useSuggestions({ view, mode, field, draft, write });
  const variables = [...new Set(findVariables(text).map(({ name }) => name))];
  useGrowing(field, text);
  const typing = useTyping(view.id, isNote);

  const send = (followUp?: FollowUp) => {
    if (!canSend) return;
    const attachments = uploads.take();
    const mentions = mentionsIn(text, draft.mentions, id => directory.nameOf(id));
    outbox.send(
      view.id,
      {
        ...(length > 0 && { content: text.trim() }),
        ...(attachments.length > 0 && { attachment_ids: attachments.map(({ id }) => id) }),
        ...(draft.replyToId !== undefined && { reply_to_id: draft.replyToId }),
        ...(isNote ? { private: true, metadata: { mentions } } : { expected_last_seq: lastSeq }),
      },
      attachments,
      followUp,
    );
    drafts.set(view.id, mode, { text: '', mentions: [] });
    setTooMany(false);
    typing.stop();
    field.current?.focus();
  };
  const sendAndResolve = () => send(() => after.resolve(view.id, isShown.current));
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event) || suggestions.onKeyDown(event)) return;
    const { key, ctrlKey, metaKey, shiftKey } = event;
    if (key === 'Enter' && (ctrlKey || metaKey)) {
      if (shiftKey && !isNote) sendAndResolve();
      else send();
    } else if (key === 'Enter' && !shiftKey && preferences().enterSends) send();
    else if (key === 'Escape') field.current?.blur();
    else if (key !== 'ArrowUp' || text !== '' || !editLastOwn(store.thread(view.id).messages.peek(), memberId)) return;
    event.preventDefault();
  };
  const addFiles = (files: Iterable<File>) => setTooMany(!uploads.add([...files]));

  return (
    <form
      class={`composer ${mode}`}
      onSubmit={event => {
        event.preventDefault();
        send();
      }}
      onDragOver={event => event.preventDefault()}
      onDrop={event => {
        event.preventDefault();
        addFiles(event.dataTransfer?.files ?? []);
      }}
    >
      <fieldset class="modes" aria-label={t('mode')}>
        {(['reply', 'note'] as const).map(each => (
          <label key={each}>
            <input type="radio" name="mode" checked={mode === each} onChange={() => onMode(each)} />
            {t(each === 'note' ? 'modeNote' : 'modeReply')}
          </label>
        ))}
        {isNote && <span class="private">{t('onlyTeam')}</span>}
      </fieldset>
      {!isNote && <ReplyNotices view={view} repliers={repliers} />}
      {draft.replyToId !== undefined && (
        <Quoted
          conversationId={view.id}
          id={draft.replyToId}
          onRemove={() => {
            drafts.set(view.id, mode, { ...draft, replyToId: undefined });
            field.current?.focus();
          }}
        />
      )}
      {suggestions.items.length > 0 && <Suggestions {...suggestions.list} />}
      <textarea
        ref={field}
        dir="auto"
        rows={2}
        aria-label={t(isNote ? 'writeNote' : 'writeReply')}
        aria-invalid={length > MAX_CHARS}
        aria-autocomplete="list"
        aria-controls={suggestions.items.length > 0 ? suggestions.list.id : undefined}
        aria-activedescendant={suggestions.activeId}
        placeholder={t(isNote ? 'notePlaceholder' : 'replyPlaceholder')}
        value={text}
        onInput={event => {
          write(event.currentTarget.value);
          suggestions.update();
          typing.send(event.currentTarget.value);
        }}
        onKeyDown={onKeyDown}
        onClick={suggestions.update}
        onPaste={event => {
          const files = [...(event.clipboardData?.files ?? [])];
          if (files.length === 0) return;
          event.preventDefault();
          addFiles(files);
        }}
      />
      <Files uploads={uploads} />
      {hasTooMany && (
        <p class="fault" role="alert">
          {t('tooManyFiles', { count: MAX_FILES })}
        </p>
      )}
      {variables.length > 0 && (
        <p class="notice" role="status">
          {t('missingValues', { names: formats().list(variables) })}
        </p>
      )}
      <div class="bar">
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          onChange={event => {
            addFiles(event.currentTarget.files ?? []);
            event.currentTarget.value = '';
          }}
        />
        <button class="icon-button" type="button" onClick={() => picker.current?.click()}>
          <span class="unseen">{t('attach')}</span>
          {icon(ATTACH)}
        </button>
        <EmojiButton onPick={emoji => write(insertAtCaret(field, emoji))} />
        <Hint text={text} length={length} isNote={isNote} />
        <span class="split">
          <Button type="submit" look="primary">
            {t(isNote ? 'addNote' : 'send')}
            {icon(SEND)}
          </Button>
          <SendMenu
            isNote={isNote}
            onResolve={sendAndResolve}
            onSnooze={until => send(() => after.snooze(view.id, until))}
          />
        </span>
      </div>
    </form>
  );
}

/** Facts that an agent should know before a reply. */
function ReplyNotices({ view, repliers }: { view: ConversationView; repliers: readonly string[] }) {
  return (
    <>
      {repliers.length > 0 && (
        <p class="notice" role="status">
          {t('repliesNow', { name: formats().list([...repliers]) })}
        </p>
      )}
      {view.control === 'bot' && view.status === 'pending' && <p class="notice">{t('takesFromBot')}</p>}
      {view.status === 'resolved' && <p class="notice">{t('reopensBySending')}</p>}
    </>
  );
}

/** Says how to use the keys, and near the limit how much can still be written. */
function Hint({ text, length, isNote }: { text: string; length: number; isNote: boolean }) {
  const left = MAX_CHARS - length;
  if (left < 0) {
    return (
      <span class="hints fault" role="status">
        {composerText('charsTooMany', { count: -left })}
      </span>
    );
  }
  if (left < COUNTED_CHARS) return <span class="hints">{t('charsLeft', { count: left })}</span>;
  if (text === '') return <span class="hints of-keys">{t(isNote ? 'noteHints' : 'replyHints')}</span>;
  const hint = preferences().enterSends
    ? t('sendHint')
    : composerText('sendHintKeys', { keys: keyLabel('$mod+Enter') });
  return <span class="hints of-keys">{hint}</span>;
}

/** An Enter that ends the choice of an input method sends nothing. Safari reports it as key 229. */
function isComposing({ isComposing: composes, keyCode }: KeyboardEvent): boolean {
  return composes || keyCode === 229;
}

/** @returns the text with the insertion at the caret, which then stands after it */
function insertAtCaret({ current }: RefObject<HTMLTextAreaElement | null>, inserted: string): string {
  if (!current) return inserted;
  current.setRangeText(inserted, current.selectionStart, current.selectionEnd, 'end');
  return current.value;
}

/** A reference that is false once the component is gone. */
function useIsShown(): { readonly current: boolean } {
  const isShown = useRef(true);
  useEffect(
    () => () => {
      isShown.current = false;
    },
    [],
  );
  return isShown;
}

/** The field is as high as its text; the style sheet limits it. */
function useGrowing(field: { current: HTMLTextAreaElement | null }, text: string): void {
  useLayoutEffect(() => {
    const { current } = field;
    if (!current) return;
    current.style.height = 'auto';
    current.style.height = `${current.scrollHeight + 2}px`;
  }, [field, text]);
}
