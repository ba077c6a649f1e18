import type { VNode } from 'preact';
import type { ViewProps } from './view-props.js';

/** The first screen: a greeting, and the last conversations. */
export function Home({ chat }: ViewProps): VNode {
  const { text, translator, state, config } = chat;
  const threads = state.list.slice(0, 5);
  return (
    <div class="scroll home" tabIndex={0}>
      <p class="greeting" dir="auto">
        {config.greeting || text('greeting')}
      </p>
      {threads.length > 0 && (
        <section>
          <h3>{text('recent')}</h3>
          <ul class="threads">
            {threads.map(({ view: { id, last_message, status, assignee, created_at, unread } }) => (
              <li key={id}>
                <button onClick={() => chat.show({ name: 'thread', id })}>
                  <span class="preview" dir="auto">
                    {last_message?.sender_type === 'contact' && `${text('you')}: `}
                    {last_message?.preview ?? text('newChat')}
                  </span>
                  <small>
                    {[
                      status === 'resolved' && text('resolved'),
                      assignee?.name,
                      translator.ago(last_message?.created_at ?? created_at),
                    ]
                      .filter(Boolean)
                      .join(' · ')}
                  </small>
                  {unread.contact > 0 && <b class="count">{unread.contact}</b>}
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
