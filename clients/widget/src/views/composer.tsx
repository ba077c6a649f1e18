import type { TargetedEvent, VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '@support-chat/ui/icons.jsx';
import { EmojiGrid } from './emoji.jsx';
import { useChat } from './use-chat.js';
import { useUploads, type Upload } from './use-uploads.js';

/** The field for a message. What is written is kept until it is sent. */
export function Composer(): VNode | null {
  const chat = useChat();
  const { translator, config, route, connection } = chat;
  const { text } = translator;
  const { features, limits } = config;
  const field = useRef<HTMLTextAreaElement>(null);
  const [content, setContent] = useState(chat.draft);
  const [showsEmoji, setShowsEmoji] = useState(false);
  const uploads = useUploads(chat);
  const routeId = route.name === 'thread' ? route.id : undefined;
  chat.attachFiles = uploads.add;

  useLayoutEffect(() => setContent(chat.draft), [routeId, chat.prefills]);
  useLayoutEffect(() => {
    const { current } = field;
    if (!current) return;
    current.style.height = 'auto';
    current.style.height = `${current.scrollHeight}px`;
  }, [content, chat.isOpen]);
  const isHidden = chat.hasEnded || (!!chat.waitingForForm && !routeId) || connection.state === 'refused';
  useEffect(() => {
    if (chat.restarts) field.current?.focus();
  }, [chat.restarts]);

  const excess = [...content].length - limits.max_message_chars;
  const hasContent = content.trim() !== '' || uploads.files.some(({ view }) => view);
  const canSend = hasContent && excess <= 0 && !uploads.isBusy;
  const write = (value: string): void => {
    setContent(value);
    chat.setDraft(value);
  };
  const send = (): void => {
    if (!canSend) return;
    chat.send(content.trim(), uploads.take());
    setContent('');
    setShowsEmoji(false);
    field.current?.focus();
  };
  const pick = (emoji: string): void => {
    const { selectionStart: from = content.length, selectionEnd: to = from } = field.current ?? {};
    write(content.slice(0, from) + emoji + content.slice(to));
    setShowsEmoji(false);
    field.current?.focus();
  };
  const press = (event: KeyboardEvent): void => {
    // 229: the key belongs to an input method, which Safari does not say by `isComposing`.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    send();
  };
  return (
    <div
      class="foot"
      onKeyDown={event => {
        if (event.key !== 'Escape' || !showsEmoji) return;
        event.preventDefault();
        setShowsEmoji(false);
        field.current?.focus();
      }}
    >
      {chat.notice && (
        <p class="notice" role="status">
          {text(chat.notice)}
        </p>
      )}
      {(!chat.isOnline || connection.state === 'refused') && (
        <p class="notice" role="status">
          {text(connection.state === 'refused' ? 'refused' : 'disconnected')}
        </p>
      )}
      {!isHidden && (
        <>
          <Files files={uploads.files} onRemove={uploads.remove} />
          {showsEmoji && <EmojiGrid label={text('emoji')} onPick={pick} />}
          <div class="composer">
            <textarea
              ref={field}
              rows={1}
              dir="auto"
              value={content}
              aria-label={text('placeholder')}
              placeholder={text('placeholder')}
              onInput={event => write(event.currentTarget.value)}
              onKeyDown={press}
              onPaste={event => {
                const files = event.clipboardData?.files;
                if (files?.length && features.attachments) {
                  event.preventDefault();
                  uploads.add(files);
                }
              }}
            />
            <div class="tools">
              {features.attachments && <FileButton label={text('attach')} onChoose={uploads.add} />}
              {features.emoji && (
                <button
                  class="icon-button"
                  aria-label={text('emoji')}
                  aria-expanded={showsEmoji}
                  onClick={() => setShowsEmoji(!showsEmoji)}
                >
                  <Icon name="emoji" />
                </button>
              )}
              {excess > 0 && (
                <small class="error" role="alert">
                  {text('tooLong', { count: excess })}
                </small>
              )}
              <button class="send" aria-label={text('send')} aria-disabled={!canSend} onClick={send}>
                <Icon name="send" />
              </button>
            </div>
          </div>
        </>
      )}
    </div>
  );
}

function FileButton({ label, onChoose }: { label: string; onChoose: (files: Iterable<File>) => void }): VNode {
  const { config } = useChat();
  const choose = (event: TargetedEvent<HTMLInputElement>): void => {
    onChoose([...(event.currentTarget.files ?? [])]);
    // The same file can be chosen again after it has been removed.
    event.currentTarget.value = '';
  };
  return (
    <label class="icon-button">
      <input
        class="hidden"
        type="file"
        multiple
        accept={config.limits.allowed_mime_types.join(',')}
        aria-label={label}
        onChange={choose}
      />
      <Icon name="attach" />
    </label>
  );
}

function Files({ files, onRemove }: { files: Upload[]; onRemove: (upload: Upload) => void }): VNode | null {
  const { text } = useChat().translator;
  if (files.length === 0) return null;
  return (
    <ul class="files">
      {files.map(file => (
        <li key={file.id} class={file.error ? 'error' : ''}>
          <span dir="auto">{file.error ?? file.name}</span>
          {!file.error && !file.view && (
            <progress
              value={file.progress}
              aria-label={text('uploading', { name: file.name, percent: Math.round(file.progress * 100) })}
            />
          )}
          <button
            class="icon-button"
            aria-label={text('removeFile', { name: file.name })}
            onClick={() => onRemove(file)}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}
