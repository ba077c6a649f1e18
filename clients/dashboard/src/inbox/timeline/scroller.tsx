import { DOWN, icon } from '@support-chat/ui/icons.jsx';
import { Component, createRef, type ComponentChildren } from 'preact';

interface ScrollerProps {
  /** The first message that is shown; another one means that older ones were added above. */
  firstKey: string | undefined;
  /** Id of the latest thing that the member has written: the end comes into view. */
  ownKey: string | undefined;
  /** The end is not kept in view, because a linked message is shown. */
  isElsewhere: boolean;
  /** Name of the button that goes to the end. */
  label: string;
  /** Called when the beginning comes near. */
  onNearStart(): void;
  /** Called when the end is in view after a change. */
  onEnd(): void;
  children: ComponentChildren;
}

/** Nearer than this to the end counts as at the end. */
const NEAR_END_PX = 48;
const NEAR_START_PX = 600;

/**
 * Keeps the newest message in view while the reader is at the end, and the same message in view while older ones are
 * added above it.
 */
export class Scroller extends Component<ScrollerProps, { isAway?: boolean }> {
  private readonly viewport = createRef<HTMLDivElement>();
  private sticks = !this.props.isElsewhere;
  private height = 0;
  private readonly observer = new ResizeObserver(() => {
    if (this.sticks) this.toEnd();
  });

  override componentDidMount(): void {
    const { current } = this.viewport;
    if (!current) return;
    this.observer.observe(current);
    if (current.firstElementChild) this.observer.observe(current.firstElementChild);
    this.componentDidUpdate(this.props);
  }

  override componentDidUpdate(before: ScrollerProps): void {
    const { current } = this.viewport;
    if (!current) return;
    const { firstKey, ownKey, onEnd } = this.props;
    if (ownKey !== undefined && ownKey !== before.ownKey) this.sticks = true;
    if (before.firstKey !== firstKey && !this.sticks) current.scrollTop += current.scrollHeight - this.height;
    else if (this.sticks) this.toEnd();
    if (this.sticks) onEnd();
    this.height = current.scrollHeight;
  }

  override componentWillUnmount(): void {
    this.observer.disconnect();
  }

  override render({ children, label }: ScrollerProps) {
    return (
      <div class="timeline" tabIndex={0} ref={this.viewport} onScroll={() => this.handleScroll()}>
        <div class="column">{children}</div>
        {this.state.isAway && (
          <button class="to-end" type="button" onClick={() => this.toEnd()}>
            {icon(DOWN)}
            {label}
          </button>
        )}
      </div>
    );
  }

  private handleScroll(): void {
    const { current } = this.viewport;
    if (!current) return;
    const { scrollHeight, scrollTop, clientHeight } = current;
    this.sticks = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
    this.setState({ isAway: !this.sticks });
    if (scrollTop < NEAR_START_PX) this.props.onNearStart();
    if (this.sticks) this.props.onEnd();
  }

  private toEnd(): void {
    const { current } = this.viewport;
    if (current) current.scrollTop = current.scrollHeight;
  }
}
