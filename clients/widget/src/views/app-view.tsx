import type { VNode } from 'preact';
import { useEffect, useReducer, useState } from 'preact/hooks';
import type { ChatController } from '../chat.js';
import { Composer } from './composer.jsx';
import { Header } from './header.jsx';
import { Home } from './home.jsx';
import { Timeline } from './timeline.jsx';
import { ChatContext } from './use-chat.js';

/** The whole panel. Renders anew whenever the chat changes. */
export function App({ chat }: { chat: ChatController }): VNode {
  const [, update] = useReducer<number, void>(count => count + 1, 0);
  const [isDragging, setDragging] = useState(false);
  useEffect(() => chat.subscribe(() => update()), [chat]);
  const { route, translator, config } = chat;
  useEffect(() => {
    chat.shell.panel.setAttribute('aria-label', config.title || translator.text('chat'));
  }, [translator]);
  const drop = (event: DragEvent, isOver: boolean): void => {
    if (!config.features.attachments || !event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    setDragging(isOver);
    if (event.type === 'drop') chat.attachFiles?.(event.dataTransfer.files);
  };
  return (
    <ChatContext.Provider value={chat}>
      <div
        class="view"
        dir={translator.direction}
        lang={translator.locale}
        onDragOver={event => drop(event, true)}
        onDragLeave={event => drop(event, false)}
        onDrop={event => drop(event, false)}
      >
        <Header />
        {route.name === 'home' ? <Home /> : <Timeline key={route.id ?? 'new'} id={route.id} />}
        <Composer />
        {isDragging && <div class="drop">{translator.text('dropHere')}</div>}
        <div class="hidden" role="status">
          {chat.announcement}
        </div>
      </div>
    </ChatContext.Provider>
  );
}
