import { useRef, useState } from 'preact/hooks';
import { icon } from '@support-chat/ui/icons.jsx';
import { useLocation } from 'wouter-preact';
import type { SignedInSession } from './entrance/entrance-state.js';
import { readFailure } from './forms/failure.js';
import { Banner } from './parts/banner.js';
import { formats, t } from './texts/index.js';

const MENU = 'account-menu';
const CHECK = 'M5 12.5l4.5 4.5L19 7.5';

/**
 * The member's name, and a menu with its workspaces and the sign-out. The browser focuses the entry with `autofocus`
 * when it opens the menu, and the button again when it closes it.
 */
export function AccountMenu({ session, onSignOut }: { session: SignedInSession; onSignOut(): void }) {
  const { member, workspace, workspaces } = session.me;
  const menu = useRef<HTMLDivElement>(null);
  const [, navigate] = useLocation();
  const [failure, setFailure] = useState<string>();
  const [isOpen, setOpen] = useState(false);

  const open = async (id: string) => {
    menu.current?.hidePopover();
    if (id === workspace.id) return;
    setFailure(undefined);
    try {
      await session.switchWorkspace(id);
      navigate('/', { replace: true });
    } catch (error) {
      const { form } = readFailure(error, { fields: {} }, formats().duration);
      setFailure(form && t(form.key, form.values));
    }
  };
  const onToggle = (event: Event) => {
    setOpen((event as ToggleEvent).newState === 'open');
  };
  return (
    <>
      {failure && <Banner kind="danger">{t('switchFailed', { reason: failure })}</Banner>}
      <button class="account" type="button" popovertarget={MENU} aria-haspopup="menu" aria-expanded={isOpen}>
        <span class="unseen">{t('accountMenu', { name: member.name })}</span>
        <span class="avatar" aria-hidden="true">
          {initials(member.name)}
        </span>
        <span class="name" aria-hidden="true">
          {member.name}
        </span>
      </button>
      <div class="menu" id={MENU} ref={menu} popover="auto" role="menu" onToggle={onToggle} onKeyDown={moveFocus}>
        <p class="person" role="presentation">
          <strong>{member.name}</strong>
          <span>{member.email}</span>
        </p>
        {workspaces.length > 1 && (
          <div role="group" aria-label={t('workspaces')}>
            {workspaces.map(({ id, name }) => (
              <button
                key={id}
                type="button"
                role="menuitemradio"
                aria-checked={id === workspace.id}
                tabIndex={-1}
                autofocus={id === workspace.id}
                onClick={() => void open(id)}
              >
                {name}
                {id === workspace.id && icon(CHECK)}
              </button>
            ))}
          </div>
        )}
        <button type="button" role="menuitem" tabIndex={-1} autofocus={workspaces.length === 1} onClick={onSignOut}>
          {t('signOut')}
        </button>
      </div>
    </>
  );
}

/** The arrow keys, Home and End move within the menu. The browser closes it with Escape. */
function moveFocus(event: KeyboardEvent): void {
  const menu = event.currentTarget as HTMLElement;
  const all = [...menu.querySelectorAll<HTMLElement>('[role^="menuitem"]')];
  const present = all.indexOf(document.activeElement as HTMLElement);
  const targets: Partial<Record<string, number>> = {
    ArrowDown: (present + 1) % all.length,
    ArrowUp: (present - 1 + all.length) % all.length,
    Home: 0,
    End: all.length - 1,
  };
  const target = targets[event.key];
  if (target === undefined) return;
  event.preventDefault();
  all[target]?.focus();
}

/** @returns the first letters of the first and the last word */
function initials(name: string): string {
  const words = name.trim().split(/\s+/);
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map(word => [...(word ?? '')][0] ?? '');
  return letters.join('').toLocaleUpperCase();
}
