import type { ConversationView, Priority, TagView } from '@support-chat/sdk';
import { useEffect, useState } from 'preact/hooks';
import { useDesk } from '../desk/desk-context.js';
import { Picker, type PickerOption } from '../parts/picker.js';
import { keyLabel, type Command } from './commands.js';
import type { InboxCommands, Menu } from './inbox-commands.js';
import { formats, t } from './texts/index.js';
import { snoozeTimes } from './snooze-times.js';

const NOBODY = 'none';
const UNTIL_REPLY = 'reply';
const PRIORITIES: readonly Priority[] = ['none', 'low', 'medium', 'high', 'urgent'];

/** The menu that a command has opened. */
export function Menus({ commands }: { commands: InboxCommands }) {
  const menu = commands.menu.value;
  if (!menu) return null;
  // rows that were chosen without an open conversation have no button
  const anchor = document.getElementById(`action-${menu}`) ?? undefined;
  return <OpenMenu key={menu} menu={menu} anchor={anchor} commands={commands} />;
}

function OpenMenu({
  menu,
  anchor,
  commands,
}: {
  menu: Menu;
  anchor: HTMLElement | undefined;
  commands: InboxCommands;
}) {
  const targets = commands.targets;
  const ids = targets.map(({ id }) => id);
  const { actions } = commands;
  const tagOptions = useTagOptions(menu === 'tags', targets);
  const onClose = () => {
    // a command may have opened another one meanwhile
    if (commands.menu.peek() === menu) commands.menu.value = undefined;
  };
  const shared = { anchor, nothing: t('nothingFound'), onClose };
  const memberOptions = useMemberOptions(targets);
  switch (menu) {
    case 'assign':
      return (
        <Picker
          {...shared}
          label={t('assign')}
          options={memberOptions}
          onPick={id => actions.assign(ids, id === NOBODY ? null : id)}
        />
      );
    case 'priority':
      return (
        <Picker
          {...shared}
          label={t('priority')}
          options={PRIORITIES.map(id => ({
            id,
            name: t(`priority_${id}`),
            isChosen: targets.every(({ priority }) => priority === id),
          }))}
          onPick={id => actions.setPriority(ids, id as Priority)}
        />
      );
    case 'tags':
      return (
        <Picker
          {...shared}
          isMultiple
          label={t('tags')}
          options={tagOptions}
          create={name => ({ id: name, name, hint: t('newTag') })}
          onPick={tag => actions.tag(ids, tag, !targets.every(({ tags }) => tags.includes(tag)))}
        />
      );
    case 'snooze':
      return (
        <Picker
          {...shared}
          label={t('snooze')}
          options={[
            ...snoozeTimes(new Date()).map(({ name, at }) => ({
              id: at.toISOString(),
              name: t(name),
              hint: `${formats().day(at.toISOString())} ${formats().clock(at.toISOString())}`,
            })),
            { id: UNTIL_REPLY, name: t('untilReply') },
          ]}
          onPick={id => actions.snooze(ids, id === UNTIL_REPLY ? undefined : new Date(id))}
        />
      );
    case 'palette':
      return <Palette commands={commands.all} {...shared} />;
  }
}

interface PaletteProps {
  commands: readonly Command[];
  anchor: HTMLElement | undefined;
  nothing: string;
  onClose(): void;
}

/** Every command with its key, so that it teaches them. */
function Palette({ commands, ...shared }: PaletteProps) {
  const possible = commands.filter(({ id, isPossible }) => id !== 'palette' && (isPossible?.() ?? true));
  const options = possible.map(({ id, name, keys, group }) => ({
    id,
    name: group === 'groupGo' ? t('goTo', { name: t(name) }) : t(name),
    hint: keys[0] && keyLabel(keys[0]),
  }));
  // run after the menu has closed, because a command may open another one
  const pick = (id: string) => void setTimeout(() => possible.find(command => command.id === id)?.run());
  return <Picker {...shared} label={t('palette')} options={options} onPick={pick} />;
}

function useMemberOptions(targets: readonly ConversationView[]): PickerOption[] {
  const { directory, memberId, presence } = useDesk();
  const isChosen = (id: string | null) => targets.every(({ assignee_id }) => assignee_id === id);
  const members = directory.activeMembers.value.map(({ id, name }) => ({
    id,
    name: id === memberId ? t('nameAndYou', { name }) : name,
    hint: presence.ofMember(id) === 'offline' ? undefined : t(`presence_${presence.ofMember(id)}`),
    isChosen: isChosen(id),
  }));
  const own = members.filter(({ id }) => id === memberId);
  const others = members.filter(({ id }) => id !== memberId);
  return [...own, { id: NOBODY, name: t('nobody'), isChosen: isChosen(null) }, ...others];
}

function useTagOptions(isOpen: boolean, targets: readonly ConversationView[]): PickerOption[] {
  const { agent } = useDesk();
  const [tags, setTags] = useState<readonly TagView[]>([]);
  useEffect(() => {
    if (isOpen)
      void agent.tags.list({ limit: 200 }).then(
        ({ items }) => setTags(items),
        () => undefined,
      );
  }, [agent, isOpen]);
  const names = new Set([...targets.flatMap(view => view.tags), ...tags.map(({ name }) => name)]);
  return [...names].map(name => ({ id: name, name, isChosen: targets.every(view => view.tags.includes(name)) }));
}
