import type { AttachmentView } from '@support-chat/sdk';
import { FILE, icon } from '@support-chat/ui/icons.jsx';
import { useState } from 'preact/hooks';
import { useDesk } from '../../desk/desk-context.js';
import { formats } from '../texts/index.js';
import { Lightbox } from './lightbox.js';
import { timelineText } from './texts/index.js';

/** A picture keeps its space before it is loaded. An address is valid for an hour; then it is read again. */
export function Attachment({ file }: { file: AttachmentView }) {
  const { agent } = useDesk();
  const [fresh, setFresh] = useState<AttachmentView>();
  const { id, name, size, content_type, width, height } = file;
  const { url, thumbnail_url, expires_at } = fresh ?? file;
  const isExpired = () => Date.parse(expires_at) <= Date.now();
  const refresh = () => agent.attachments.get(id).then(setFresh, () => undefined);

  if (content_type.startsWith('image/') && width !== undefined && height !== undefined) {
    return (
      <Picture
        {...{ name, url, width, height }}
        thumbnailUrl={thumbnail_url ?? url}
        isExpired={isExpired}
        onRefresh={refresh}
        canRefresh={!fresh}
      />
    );
  }
  const open = (event: MouseEvent) => {
    if (!isExpired()) return;
    event.preventDefault();
    // opened at once, because a browser blocks windows that are opened later
    const page = window.open('', '_blank');
    agent.attachments.get(id).then(
      later => {
        setFresh(later);
        if (page) page.location.href = later.url;
      },
      () => page?.close(),
    );
  };
  return (
    <a class="file" href={url} target="_blank" rel="noopener noreferrer" onClick={open}>
      {icon(FILE)}
      <span dir="auto">{name}</span>
      <small>{formats().size(size)}</small>
    </a>
  );
}

interface PictureProps {
  name: string;
  url: string;
  thumbnailUrl: string;
  width: number;
  height: number;
  canRefresh: boolean;
  isExpired(): boolean;
  onRefresh(): Promise<void>;
}

function Picture({ name, url, thumbnailUrl, width, height, canRefresh, isExpired, onRefresh }: PictureProps) {
  const [isOpen, setOpen] = useState(false);
  const open = async () => {
    if (isExpired()) await onRefresh();
    setOpen(true);
  };
  return (
    <>
      <button class="picture" type="button" aria-haspopup="dialog" onClick={() => void open()}>
        <span class="unseen">{timelineText('pictureNamed', { name })}</span>
        <img
          src={thumbnailUrl}
          alt=""
          width={width}
          height={height}
          loading="lazy"
          onError={() => canRefresh && void onRefresh()}
        />
      </button>
      {isOpen && <Lightbox {...{ name, url, width, height }} onClose={() => setOpen(false)} />}
    </>
  );
}
