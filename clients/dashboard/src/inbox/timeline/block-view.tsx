import { Component, createRef, type ComponentChildren } from 'preact';
import { isSameBlock, type Block } from './blocks.js';

/** Blocks this far from the screen are drawn, so that nothing is blank while somebody scrolls. */
const MARGIN_PX = 1_500;

interface BlockViewProps {
  block: Block;
  /** Something in it must be there, such as a linked message or a text that is being edited. */
  isPinned: boolean;
  /** Drawn again when it changes: facts besides the lines that the block shows. */
  facts: string;
  render(block: Block): ComponentChildren;
}

/** Draws a block near the screen. Far from it, an empty list of the same height stands for it. */
export class BlockView extends Component<BlockViewProps, { height?: number | undefined }> {
  private readonly element = createRef<HTMLOListElement>();
  private observer: IntersectionObserver | undefined;

  override componentDidMount(): void {
    const { current } = this.element;
    if (!current) return;
    const root = current.closest('.timeline');
    this.observer = new IntersectionObserver(entries => this.handle(entries.at(-1)), {
      root,
      rootMargin: `${MARGIN_PX}px 0px`,
    });
    this.observer.observe(current);
  }

  override shouldComponentUpdate(next: BlockViewProps, state: { height?: number | undefined }): boolean {
    const { block, isPinned, facts } = this.props;
    if (state.height !== this.state.height || next.isPinned !== isPinned || next.facts !== facts) return true;
    return !isSameBlock(next.block, block);
  }

  override componentWillUnmount(): void {
    this.observer?.disconnect();
  }

  override render({ block, isPinned, render }: BlockViewProps) {
    const { height } = this.state;
    const isLeftOut = height !== undefined && !isPinned;
    return (
      <ol class="block" ref={this.element} style={{ blockSize: isLeftOut ? `${height}px` : 'auto' }}>
        {!isLeftOut && render(block)}
      </ol>
    );
  }

  private handle(entry: IntersectionObserverEntry | undefined): void {
    if (!entry) return;
    this.setState({ height: entry.isIntersecting ? undefined : entry.boundingClientRect.height });
  }
}
