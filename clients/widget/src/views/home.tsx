import type { VNode } from 'preact';
import { useChat } from './use-chat.js';

/** The first screen: a greeting, and the last conversations. */
export function Home(): VNode {
  const chat = useChat();
  const { text, ago } = chat.translator;
  const threads = chat.state.list.slice(0, 5);
  return (
    <div class="scroll home" tabIndex={0}>
      <p class="greeting" dir="auto">
        {chat.config.greeting || text('greeting')}
      </p>
      {threads.length > 0 && (
        <section>
          <h3>{text('recent')}</h3>
          <ul class="threads">
            {threads.map(({ view }) => (
              <li key={view.id}>
                <button onClick={() => chat.show({ name: 'thread', id: view.id })}>
                  <span class="preview" dir="auto">
                    {view.last_message?.sender_type === 'contact' && `${text('you')}: `}
                    {view.last_message?.preview ?? text('newChat')}
                  </span>
                  <small>
                    {[
                      view.status === 'resolved' && text('resolved'),
                      view.assignee?.name,
                      ago(view.last_message?.created_at ?? view.created_at),
                    ]
                      .filter(Boolean)
                      .join(' · ')}
                  </small>
                  {view.unread.contact > 0 && <b class="count">{view.unread.contact}</b>}
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
