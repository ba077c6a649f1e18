import { CLOSE, icon } from '@support-chat/ui/icons.jsx';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../texts/index.js';
import { timelineText } from './texts/index.js';

interface LightboxProps {
  name: string;
  url: string;
  width: number;
  height: number;
  onClose(): void;
}

/** A picture as large as the window allows. */
export function Lightbox({ name, url, width, height, onClose }: LightboxProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const close = () => dialog.current?.close();
  return (
    <dialog
      class="lightbox"
      ref={dialog}
      aria-label={timelineText('pictureNamed', { name })}
      onClose={onClose}
      onClick={event => event.target === dialog.current && close()}
      onKeyDown={event => event.stopPropagation()}
    >
      <header>
        <b dir="auto">{name}</b>
        <a class="button quiet" href={url} target="_blank" rel="noopener noreferrer">
          {timelineText('openOriginal')}
        </a>
        <button class="icon-button" type="button" onClick={close}>
          <span class="unseen">{t('close')}</span>
          {icon(CLOSE)}
        </button>
      </header>
      <img src={url} alt={name} width={width} height={height} />
    </dialog>
  );
}
