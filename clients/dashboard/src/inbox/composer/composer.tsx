import type { ConversationView } from '@support-chat/sdk';
import { ATTACH, CLOSE, SEND, icon } from '@support-chat/ui/icons.jsx';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Button } from '../../parts/button.js';
import { useDesk } from '../../desk/desk-context.js';
import type { Mode } from '../../desk/drafts.js';
import { failureText } from '../failure-text.js';
import { formats, t } from '../texts/index.js';
import { Suggestions } from './suggestions.js';
import { useSuggestions } from './use-suggestions.js';
import { MAX_FILES, Uploads } from './uploads.js';

const MAX_CHARS = 20_000;
/** The counter is shown this near to the limit. */
const COUNTED_CHARS = 1_000;
/** The service shows typing for 8 s. */
const TYPING_EVERY_MS = 4_000;

export interface ComposerProps {
  view: ConversationView;
  mode: Mode;
  onMode(mode: Mode): void;
  /** `seq` of the newest message on the screen. */
  lastSeq: number;
  /** Names of colleagues who write an answer now. */
  repliers: readonly string[];
}

/** Writes answers and notes. What is typed is stored at once, and stays until it is sent. */
export function Composer({ view, mode, onMode, lastSeq, repliers }: ComposerProps) {
  const desk = useDesk();
  const { drafts, outbox, agent, memberId } = desk;
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const uploads = useMemo(() => new Uploads(agent), [agent, view.id]);
  const [hasTooMany, setTooMany] = useState(false);
  const draft = drafts.of(view.id, mode);
  const { text } = draft;
  const isNote = mode === 'note';
  const canSend = (text.trim() !== '' || uploads.all.value.length > 0) && uploads.isReady;
  const write = (next: string, mentions = draft.mentions) => drafts.set(view.id, mode, { text: next, mentions });
  const suggestions = useSuggestions({ view, mode, field, draft, write });
  useGrowing(field, text);
  const sendTyping = useTyping(view.id, isNote);

  const send = () => {
    if (!canSend) return;
    const attachments = uploads.take();
    const mentions = draft.mentions.filter(id => text.includes(`@${desk.directory.nameOf(id)}`));
    outbox.send(
      view.id,
      {
        ...(text.trim() !== '' && { content: text.trim() }),
        ...(attachments.length > 0 && { attachment_ids: attachments.map(({ id }) => id) }),
        ...(isNote ? { private: true, metadata: { mentions } } : { expected_last_seq: lastSeq }),
      },
      attachments,
    );
    write('', []);
    desk.live.stopTyping(view.id);
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing || suggestions.onKeyDown(event)) return;
    const { key, ctrlKey, metaKey, shiftKey } = event;
    if (key === 'Enter' && !shiftKey) {
      event.preventDefault();
      send();
      if (ctrlKey || metaKey) field.current?.focus();
    } else if (key === 'Escape') field.current?.blur();
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
      {repliers.length > 0 && !isNote && (
        <p class="notice" role="status">
          {t('repliesNow', { name: formats().list([...repliers]) })}
        </p>
      )}
      {view.control === 'bot' && view.status === 'pending' && !isNote && <p class="notice">{t('takesFromBot')}</p>}
      {view.status === 'resolved' && !isNote && <p class="notice">{t('reopensBySending')}</p>}
      {suggestions.items.length > 0 && <Suggestions {...suggestions.list} />}
      <textarea
        ref={field}
        dir="auto"
        rows={2}
        maxLength={MAX_CHARS}
        aria-label={t(isNote ? 'writeNote' : 'writeReply')}
        aria-autocomplete="list"
        aria-controls={suggestions.items.length > 0 ? suggestions.list.id : undefined}
        aria-activedescendant={suggestions.activeId}
        placeholder={t(isNote ? 'notePlaceholder' : 'replyPlaceholder')}
        value={text}
        onInput={event => {
          write(event.currentTarget.value);
          suggestions.update();
          sendTyping();
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
      {suggestions.missing.length > 0 && (
        <p class="notice" role="status">
          {t('missingValues', { names: formats().list(suggestions.missing) })}
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
        <span class="hints">{text === '' ? t(isNote ? 'noteHints' : 'replyHints') : counterOf(text)}</span>
        <Button type="submit" look="primary">
          {t(isNote ? 'addNote' : 'send')}
          {icon(SEND)}
        </Button>
      </div>
    </form>
  );

  function counterOf(value: string): string {
    const left = MAX_CHARS - value.length;
    return left < COUNTED_CHARS ? t('charsLeft', { count: left }) : memberId === view.assignee_id ? '' : t('sendHint');
  }
}

function Files({ uploads }: { uploads: Uploads }) {
  if (uploads.all.value.length === 0) return null;
  return (
    <ul class="files">
      {uploads.all.value.map(upload => (
        <li key={upload.id}>
          <span dir="auto">{upload.file.name}</span>
          {upload.error === undefined ? (
            !upload.stored && (
              <progress value={upload.progress} aria-label={t('uploading', { name: upload.file.name })} />
            )
          ) : (
            <span class="fault" role="alert">
              {failureText(upload.error)}{' '}
              <button class="link" type="button" onClick={() => uploads.retry(upload)}>
                {t('retry')}
              </button>
            </span>
          )}
          <button class="icon-button" type="button" onClick={() => uploads.remove(upload.id)}>
            <span class="unseen">{t('removeFile', { name: upload.file.name })}</span>
            {icon(CLOSE)}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Tells the contact, or the team, that the member types. */
function useTyping(conversationId: string, isPrivate: boolean): () => void {
  const { live } = useDesk();
  const sentAt = useRef(0);
  useEffect(() => () => void live.stopTyping(conversationId), [live, conversationId]);
  return () => {
    if (Date.now() - sentAt.current < TYPING_EVERY_MS) return;
    sentAt.current = Date.now();
    live.typing(conversationId, { private: isPrivate });
  };
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
