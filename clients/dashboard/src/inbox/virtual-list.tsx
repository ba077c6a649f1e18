import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Rows above and below the visible ones that are drawn, too. */
const OVERSCAN = 6;
/** The next page is requested this many rows before the end. */
const AHEAD = 30;

/** A row in the list, for screen readers: `size` is -1 while the number of all rows is unknown. */
export interface ListPosition {
  position: number;
  size: number;
}

export interface VirtualListProps {
  /** Name for screen readers. */
  label: string;
  ids: readonly string[];
  /** True if there are rows after `ids`. */
  hasMore: boolean;
  /** Height of every row, in pixels. */
  rowHeight: number;
  /** The row that the keyboard acts on. It is kept visible. */
  activeId: string | undefined;
  isMultiSelect: boolean;
  /** Called when the end comes near. */
  onNearEnd(): void;
  /** Draws a row as `option`, with `optionId(id)` as its id. */
  children(id: string, at: ListPosition): ComponentChildren;
}

/** A listbox that draws only the rows on the screen. All have one height, so nothing is measured. */
export function VirtualList(props: VirtualListProps) {
  const { label, ids, hasMore, rowHeight, activeId, isMultiSelect, onNearEnd, children } = props;
  const viewport = useRef<HTMLDivElement>(null);
  const [scrollTop, setScrollTop] = useState(0);
  const height = useHeight(viewport);
  const first = Math.max(0, Math.floor(scrollTop / rowHeight) - OVERSCAN);
  const end = Math.min(ids.length, Math.ceil((scrollTop + height) / rowHeight) + OVERSCAN);

  useEffect(() => {
    if (hasMore && end + AHEAD >= ids.length) onNearEnd();
  }, [end, ids.length, hasMore, onNearEnd]);
  useLayoutEffect(() => {
    const index = activeId === undefined ? -1 : ids.indexOf(activeId);
    if (index >= 0 && viewport.current) keepVisible(viewport.current, index * rowHeight, rowHeight);
    // `ids` is left out: rows that move by themselves must not scroll the list
  }, [activeId, rowHeight]);

  return (
    <div
      class="rows"
      ref={viewport}
      role="listbox"
      tabIndex={0}
      aria-label={label}
      aria-multiselectable={isMultiSelect}
      aria-activedescendant={activeId === undefined ? undefined : optionId(activeId)}
      onScroll={event => setScrollTop(event.currentTarget.scrollTop)}
    >
      <div class="canvas" role="presentation" style={{ height: `${ids.length * rowHeight}px` }}>
        <div class="drawn" role="presentation" style={{ transform: `translateY(${first * rowHeight}px)` }}>
          {ids
            .slice(first, end)
            .map((id, offset) => children(id, { position: first + offset + 1, size: hasMore ? -1 : ids.length }))}
        </div>
      </div>
    </div>
  );
}

/** @returns the id of a row's element */
export function optionId(id: string): string {
  return `row-${id}`;
}

function useHeight(element: RefObject<HTMLElement | null>): number {
  const [height, setHeight] = useState(0);
  useLayoutEffect(() => {
    const { current } = element;
    if (!current) return;
    const observer = new ResizeObserver(() => setHeight(current.clientHeight));
    observer.observe(current);
    setHeight(current.clientHeight);
    return () => observer.disconnect();
  }, [element]);
  return height;
}

function keepVisible(viewport: HTMLElement, top: number, height: number): void {
  const { scrollTop, clientHeight } = viewport;
  if (top < scrollTop) viewport.scrollTop = top;
  else if (top + height > scrollTop + clientHeight) viewport.scrollTop = top + height - clientHeight;
}
