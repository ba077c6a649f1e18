import { ATTACH, CLOSE, EMOJI, icon, SEND } from '@support-chat/ui/icons.jsx';
import { Component, type VNode } from 'preact';
import type { ChatController } from '../chat.js';
import type { ViewProps } from './view-props.js';
import { EmojiGrid } from '@support-chat/ui/emoji.jsx';
import { iconButton } from './icon-button.jsx';
import { Uploads } from './uploads.js';

/** The field for a message. What is written is kept until it is sent. */
export class Composer extends Component<ViewProps, { showsEmoji?: boolean }> {
  private field: HTMLTextAreaElement | null = null;
  private content = '';
  /** The draft that `content` belongs to. */
  private draftKey = '';
  /** The chat has ended while something was being written, which can still be sent. */
  private isKept = false;
  private readonly uploads = new Uploads(this.props.chat, () => this.forceUpdate());

  private readonly setField = (field: HTMLTextAreaElement | null): void => {
    this.field = field;
    if (this.props.chat.restarts) field?.focus();
  };

  override componentDidMount(): void {
    this.props.chat.attachFiles = this.uploads.add;
    this.componentDidUpdate();
  }

  /** The field is as high as its text. */
  override componentDidUpdate(): void {
    if (!this.field) return;
    const { style } = this.field;
    style.height = 'auto';
    style.height = `${this.field.scrollHeight}px`;
  }

  override render({ chat }: ViewProps): VNode {
    const { text, config, connection, notice } = chat;
    const { features } = config;
    const { showsEmoji } = this.state;
    const isRefused = connection.state === 'refused';
    this.readDraft();
    const { excess } = this;
    this.isKept = chat.hasEnded && (this.isKept || this.content !== '' || this.uploads.files.length > 0);
    return (
      <div class="foot" onKeyDown={this.press}>
        {notice && renderNotice(text(notice))}
        {(isRefused || !chat.isOnline) && renderNotice(text(isRefused ? 'refused' : 'disconnected'))}
        {!isRefused && (!chat.hasEnded || this.isKept) && !chat.waitingForForm && (
          <>
            {renderFiles(chat, this.uploads)}
            {showsEmoji && <EmojiGrid label={text('emoji')} onPick={this.insert} />}
            <div class="composer">
              <textarea
                ref={this.setField}
                rows={1}
                dir="auto"
                value={this.content}
                aria-label={text('placeholder')}
                placeholder={text('placeholder')}
                onInput={event => this.write(event.currentTarget.value)}
                onPaste={event => {
                  const files = event.clipboardData?.files;
                  if (!files?.length || !features.attachments) return;
                  event.preventDefault();
                  this.uploads.add(files);
                }}
              />
              <div class="tools">
                {features.attachments && renderFileButton(chat, this.uploads)}
                {features.emoji &&
                  iconButton(EMOJI, text('emoji'), () => this.setState({ showsEmoji: !showsEmoji }), {
                    'aria-expanded': !!showsEmoji,
                  })}
                {excess > 0 && (
                  <small class="error" role="alert">
                    {text('tooLong', { count: excess })}
                  </small>
                )}
                {iconButton(SEND, text('send'), this.send, {
                  class: 'icon-button send',
                  'aria-disabled': !this.canSend,
                })}
              </div>
            </div>
          </>
        )}
      </div>
    );
  }

  /** Another conversation has another draft, and the page can set one. */
  private readDraft(): void {
    const { chat } = this.props;
    const key = `${chat.route.name === 'thread' ? chat.route.id : ''} ${chat.prefills}`;
    if (key === this.draftKey) return;
    this.draftKey = key;
    this.content = chat.draft;
    this.isKept = false;
  }

  /** Number of characters above the limit. */
  private get excess(): number {
    return [...this.content].length - this.props.chat.config.limits.max_message_chars;
  }

  private get canSend(): boolean {
    const { content, uploads } = this;
    const hasContent = content.trim() !== '' || uploads.files.some(({ view }) => view);
    return hasContent && this.excess <= 0 && !uploads.isBusy;
  }

  private write(content: string): void {
    this.content = content;
    this.props.chat.setDraft(content);
    this.forceUpdate();
  }

  private readonly send = (): void => {
    if (!this.canSend) return;
    const content = this.content.trim();
    this.content = '';
    this.props.chat.send(content, this.uploads.take());
    this.closeEmoji();
  };

  private closeEmoji(): void {
    this.setState({ showsEmoji: false });
    this.field?.focus();
  }

  private readonly insert = (emoji: string): void => {
    const { content } = this;
    const { selectionStart: from = content.length, selectionEnd: to = from } = this.field ?? {};
    this.write(content.slice(0, from) + emoji + content.slice(to));
    this.closeEmoji();
  };

  private readonly press = (event: KeyboardEvent): void => {
    const { key, shiftKey, isComposing, keyCode } = event;
    // 229: the key belongs to an input method, which Safari does not say by `isComposing`.
    const sends = key === 'Enter' && event.target === this.field && !shiftKey && !isComposing && keyCode !== 229;
    const closes = key === 'Escape' && this.state.showsEmoji;
    if (sends || closes) event.preventDefault();
    if (sends) this.send();
    if (closes) this.closeEmoji();
  };
}

function renderNotice(text: string): VNode {
  return (
    <p class="notice" role="status">
      {text}
    </p>
  );
}

function renderFileButton({ config, text }: ChatController, uploads: Uploads): VNode {
  return (
    <label class="icon-button">
      <input
        class="hidden"
        type="file"
        multiple
        accept={config.limits.allowed_mime_types.join(',')}
        aria-label={text('attach')}
        onChange={({ currentTarget }) => {
          uploads.add(currentTarget.files ?? []);
          // The same file can be chosen again after it has been removed.
          currentTarget.value = '';
        }}
      />
      {icon(ATTACH)}
    </label>
  );
}

function renderFiles({ text }: ChatController, uploads: Uploads): VNode | false {
  return (
    uploads.files.length > 0 && (
      <ul class="files">
        {uploads.files.map(file => {
          const { id, name, error, view, progress } = file;
          return (
            <li key={id} class={error ? 'error' : ''}>
              <span dir="auto">{error ?? name}</span>
              {!error && !view && (
                <progress
                  value={progress}
                  aria-label={text('uploading', { name, percent: Math.round(progress * 100) })}
                />
              )}
              {iconButton(CLOSE, text('removeFile', { name }), () => uploads.remove(file))}
            </li>
          );
        })}
      </ul>
    )
  );
}
