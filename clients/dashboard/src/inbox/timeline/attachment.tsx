import type { AttachmentView } from '@support-chat/sdk';
import { FILE, icon } from '@support-chat/ui/icons.jsx';
import { useState } from 'preact/hooks';
import { useDesk } from '../../desk/desk-context.js';
import { formats } from '../texts/index.js';

/** A picture keeps its space before it is loaded. An address is valid for an hour; then it is read again. */
export function Attachment({ file }: { file: AttachmentView }) {
  const { agent } = useDesk();
  const [fresh, setFresh] = useState<AttachmentView>();
  const { id, name, size, content_type, width, height } = file;
  const { url, thumbnail_url, expires_at } = fresh ?? file;
  const read = () => agent.attachments.get(id);
  const open = (event: MouseEvent) => {
    if (Date.parse(expires_at) > Date.now()) return;
    event.preventDefault();
    // opened at once, because a browser blocks windows that are opened later
    const page = window.open('', '_blank');
    read().then(
      later => {
        setFresh(later);
        if (page) page.location.href = later.url;
      },
      () => page?.close(),
    );
  };
  const refresh = () => {
    if (!fresh) void read().then(setFresh, () => undefined);
  };
  const isPicture = content_type.startsWith('image/') && width !== undefined && height !== undefined;
  return (
    <a class={isPicture ? 'picture' : 'file'} href={url} target="_blank" rel="noopener noreferrer" onClick={open}>
      {isPicture ? (
        <img src={thumbnail_url ?? url} alt={name} width={width} height={height} loading="lazy" onError={refresh} />
      ) : (
        <>
          {icon(FILE)}
          <span dir="auto">{name}</span>
          <small>{formats().size(size)}</small>
        </>
      )}
    </a>
  );
}
