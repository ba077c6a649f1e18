import { DOWN } from '@support-chat/ui/icons.jsx';
import { Component, type ComponentChildren, type VNode } from 'preact';
import { iconButton } from './icon-button.jsx';

interface ScrollerProps {
  /** `seq` of the first message that is shown. */
  firstSeq: number | undefined;
  /** Id of the latest thing that the reader has done: the end comes into view. */
  ownId: string | undefined;
  /** Name of the button that goes to the end. */
  label: string;
  /** Called after each rendering in which the end is in view. */
  onEnd(): void;
  children?: ComponentChildren;
}

/** Nearer than this to the end counts as at the end. */
const NEAR_PX = 48;

/**
 * Keeps the newest message in view while the reader is at the end, and the same message in view while older ones are
 * added above it.
 */
export class Scroller extends Component<ScrollerProps, { isAway?: boolean }> {
  private sticks = true;
  private height = 0;
  /** The room changes with the composer and the keyboard of a phone, the content with pictures and forms. */
  private readonly observer = new ResizeObserver(() => this.sticks && this.toEnd());

  private element!: HTMLElement;

  private readonly setElement = (element: HTMLElement | null): void => {
    if (element) this.element = element;
  };

  override componentDidMount(): void {
    this.observer.observe(this.element);
    this.observer.observe(this.element.firstElementChild!);
    this.componentDidUpdate(this.props);
  }

  override componentDidUpdate(before: ScrollerProps): void {
    const { element } = this;
    const { firstSeq, ownId, onEnd } = this.props;
    if (ownId && ownId !== before.ownId) this.sticks = true;
    if (before.firstSeq! > firstSeq!) element.scrollTop += element.scrollHeight - this.height;
    else if (this.sticks) this.toEnd();
    if (this.sticks) onEnd();
    this.height = element.scrollHeight;
  }

  override componentWillUnmount(): void {
    this.observer.disconnect();
  }

  override render({ children, label }: ScrollerProps): VNode {
    return (
      <div class="scroll" tabIndex={0} ref={this.setElement} onScroll={() => this.handleScroll()}>
        <div>{children}</div>
        {this.state.isAway && iconButton(DOWN, label, () => this.toEnd(), { class: 'icon-button to-end' })}
      </div>
    );
  }

  private handleScroll(): void {
    const { scrollHeight, scrollTop, clientHeight } = this.element;
    this.sticks = scrollHeight - scrollTop - clientHeight < NEAR_PX;
    this.setState({ isAway: !this.sticks });
    if (this.sticks) this.props.onEnd();
  }

  private toEnd(): void {
    this.element.scrollTop = this.element.scrollHeight;
  }
}
