import { icon } from '@support-chat/ui/icons.jsx';
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { conversationPath } from '../conversation-path.js';
import type { Desk } from '../desk/desk.js';
import { LazyArea, type AreaLoader } from '../lazy-area.js';
import { t } from '../texts/index.js';
import { Alerts } from './alerts.js';

const PANEL = 'notices';
const BELL = 'M6 16.5V11a6 6 0 0112 0v5.5l1.5 2h-15zM10 21h4';
/** The service stops counting here. */
const MAX_COUNT = 100;

const loadPanel: AreaLoader = () => import('./notice-panel.js');

/** The number of unread notifications, and a panel with all of them. Also announces new ones outside the page. */
export function Bell({ desk }: { desk: Desk }) {
  const [isOpen, setOpen] = useState(false);
  const [, navigate] = useLocation();
  const count = desk.notices.unreadCount.value;
  useEffect(
    () => new Alerts(desk, ({ conversation_id: id, message_id }) => navigate(conversationPath(id, message_id))).start(),
    [desk],
  );
  return (
    <>
      <button class="bell" type="button" popovertarget={PANEL} aria-haspopup="dialog" aria-expanded={isOpen}>
        <span class="unseen">{count > 0 ? t('noticesUnread', { count }) : t('notices')}</span>
        {icon(BELL)}
        {count > 0 && (
          <span class="count" aria-hidden="true">
            {count >= MAX_COUNT ? '99+' : count}
          </span>
        )}
      </button>
      <div
        class="notices"
        id={PANEL}
        popover="auto"
        role="dialog"
        aria-label={t('notices')}
        onToggle={event => setOpen(event.newState === 'open')}
        onClick={closeByLink}
      >
        {isOpen && <LazyArea load={loadPanel} />}
      </div>
    </>
  );
}

function closeByLink({ target, currentTarget }: MouseEvent): void {
  if ((target as Element).closest('a')) (currentTarget as HTMLElement).hidePopover();
}
