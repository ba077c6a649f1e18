import { Component, type VNode } from 'preact';
import { Composer } from './composer.jsx';
import { Header } from './header.jsx';
import { Home } from './home.jsx';
import { Timeline } from './timeline.jsx';
import type { ViewProps } from './view-props.js';

/** The whole panel. */
export class App extends Component<ViewProps, { isDragging?: boolean }> {
  override componentDidMount(): void {
    this.props.chat.subscribe(() => this.forceUpdate());
  }

  override render({ chat }: ViewProps): VNode {
    const { route, translator, text } = chat;
    const drop = (event: DragEvent): void => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      // Otherwise the browser leaves the page, and opens the file.
      event.preventDefault();
      if (!chat.config.features.attachments) return;
      this.setState({ isDragging: event.type === 'dragover' });
      if (event.type === 'drop') chat.attachFiles?.(event.dataTransfer.files);
    };
    return (
      <div
        class="view"
        dir={translator.direction}
        lang={translator.locale}
        onDragOver={drop}
        onDragLeave={drop}
        onDrop={drop}
      >
        <Header chat={chat} />
        {route.name === 'home' ? <Home chat={chat} /> : <Timeline key={route.id ?? 'new'} id={route.id} chat={chat} />}
        <Composer chat={chat} />
        {this.state.isDragging && <div class="drop">{text('dropHere')}</div>}
        <div class="hidden" role="status" aria-atomic="false">
          {/* An equal text is another node, so that it is announced too. */}
          {chat.announcements.map(({ id, text: announced }) => (
            <p key={id}>{announced}</p>
          ))}
        </div>
      </div>
    );
  }
}
