import { DOWN, icon } from '@support-chat/ui/icons.jsx';
import { Component, createRef, type ComponentChildren } from 'preact';

interface ScrollerProps {
  /** `seq` of the newest message. */
  lastSeq: number;
  /** Id of the latest thing that the member has written: the end comes into view. */
  ownKey: string | undefined;
  /** The end is not kept in view, because a linked message is shown. */
  isElsewhere: boolean;
  /** Names the button that goes to the end. @param afterSeq newest message that was on the screen */
  label(afterSeq: number): string;
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
  /** Newest message that was on the screen. */
  private seenSeq = this.props.lastSeq;
  /** The message at the top of the screen, and its distance from there. */
  private anchor: { line: Element; top: number } | undefined;
  private readonly observer = new ResizeObserver(() => this.keepPosition());

  override componentDidMount(): void {
    const { current } = this.viewport;
    if (!current) return;
    this.observer.observe(current);
    if (current.firstElementChild) this.observer.observe(current.firstElementChild);
    this.componentDidUpdate(this.props);
  }

  override componentDidUpdate(before: ScrollerProps): void {
    const { ownKey, onEnd } = this.props;
    if (ownKey !== undefined && ownKey !== before.ownKey) this.sticks = true;
    this.keepPosition();
    if (this.sticks) onEnd();
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
            {label(this.seenSeq)}
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
    this.anchor = this.sticks ? undefined : findAnchor(current);
    if (this.sticks) this.seenSeq = this.props.lastSeq;
    this.setState({ isAway: !this.sticks });
    if (scrollTop < NEAR_START_PX) this.props.onNearStart();
    if (this.sticks) this.props.onEnd();
  }

  /** The browser's own anchoring is off: Safari has none, and two corrections would add up. */
  private keepPosition(): void {
    const { current } = this.viewport;
    if (!current) return;
    if (this.sticks) return this.toEnd();
    if (!this.anchor?.line.isConnected) return;
    const { line, top } = this.anchor;
    const moved = distance(line, current) - top;
    if (Math.abs(moved) >= 1) current.scrollTop += moved;
  }

  private toEnd(): void {
    const { current } = this.viewport;
    this.seenSeq = this.props.lastSeq;
    if (current) current.scrollTop = current.scrollHeight;
  }
}

/** @returns the first message that is on the screen */
function findAnchor(viewport: HTMLElement): { line: Element; top: number } | undefined {
  const lines = viewport.querySelectorAll('[id^="message-"]');
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const line = lines.item(middle);
    if (distance(line, viewport) + line.clientHeight <= 0) low = middle + 1;
    else high = middle;
  }
  const line = lines.item(low) as Element | null;
  return line ? { line, top: distance(line, viewport) } : undefined;
}

/** Pixels from the top of the screen to an element. */
function distance(element: Element, viewport: HTMLElement): number {
  return element.getBoundingClientRect().top - viewport.getBoundingClientRect().top;
}
