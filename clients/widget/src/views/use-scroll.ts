import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { RefObject } from 'preact';

interface Scroll {
  scroller: RefObject<HTMLElement | null>;
  isAtEnd: boolean;
  toEnd(): void;
}

/** Nearer than this to the end counts as at the end. */
const NEAR_PX = 48;

/**
 * Keeps the newest message in view while the reader is at the end, and the same message in view while older ones are
 * added above it.
 * @param firstSeq `seq` of the first message that is shown
 * @param ownId of the latest thing that the reader has done: the end comes into view
 * @param onEnd called after each rendering in which the end is in view
 */
export function useScroll(firstSeq: number | undefined, ownId: string | undefined, onEnd: () => void): Scroll {
  const scroller = useRef<HTMLElement>(null);
  const before = useRef({ firstSeq, ownId, height: 0 });
  const [isAtEnd, setAtEnd] = useState(true);
  const sticks = useRef(true);
  const toEnd = (): void => {
    const element = scroller.current;
    if (element) element.scrollTop = element.scrollHeight;
  };
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const scrolled = (): void => {
      sticks.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX;
      setAtEnd(sticks.current);
      if (sticks.current) onEnd();
    };
    // The room changes with the composer and the keyboard of a phone, the content with pictures and forms.
    const observer = new ResizeObserver(() => sticks.current && toEnd());
    observer.observe(element);
    if (element.firstElementChild) observer.observe(element.firstElementChild);
    element.addEventListener('scroll', scrolled, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', scrolled);
    };
  }, []);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const { firstSeq: formerSeq, height } = before.current;
    const isPrepended = formerSeq !== undefined && firstSeq !== undefined && firstSeq < formerSeq;
    if (ownId && ownId !== before.current.ownId) sticks.current = true;
    if (isPrepended) element.scrollTop += element.scrollHeight - height;
    else if (sticks.current) toEnd();
    if (sticks.current) onEnd();
    before.current = { firstSeq, ownId, height: element.scrollHeight };
  });
  return { scroller, isAtEnd, toEnd };
}
