import type { ConversationView } from '@support-chat/sdk';
import { useDesk } from '../desk/desk-context.js';
import { keyLabel, type Command } from './commands.js';
import { t } from './texts/index.js';

/** Commands with a button of their own, in order. */
const SHOWN = ['assign', 'priority', 'tags', 'snooze', 'wake', 'handOff', 'take', 'reopen', 'resolve'];

/** The most frequent actions, as buttons that show their keys. */
export function ThreadActions({ view, commands }: { view: ConversationView; commands: readonly Command[] }) {
  const { directory, memberId } = useDesk();
  const assignee = view.assignee_id;
  const name = assignee === memberId ? t('assignedToYou') : assignee && directory.nameOf(assignee);
  return (
    <div class="actions">
      {SHOWN.map(id => commands.find(command => command.id === id))
        .filter(command => command !== undefined)
        .filter(command => command.isPossible?.() ?? true)
        .map(command => (
          <button
            key={command.id}
            id={`action-${command.id}`}
            class={command.id === 'resolve' ? 'button primary' : 'button quiet'}
            type="button"
            title={command.keys[0] && keyLabel(command.keys[0])}
            onClick={() => command.run()}
          >
            {command.id === 'assign' ? (name ?? t('nobody')) : t(command.name)}
          </button>
        ))}
    </div>
  );
}
