import { signal, type ReadonlySignal } from '@preact/signals';

/** How long an action can be undone by its toast, or `z`. */
export const UNDO_MS = 10_000;
const MAX_SHOWN = 3;

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly kind: 'done' | 'failed';
  /** Name of the button. */
  readonly action?: string | undefined;
  /** Called by the button, or by the key for undo. */
  readonly act?: (() => void) | undefined;
  readonly isUndo: boolean;
}

export type ToastContent = Omit<Toast, 'id' | 'isUndo'> & { isUndo?: boolean };

/** Sentences at the edge of the screen that tell what an action has done. */
export class Toasts {
  private readonly list = signal<readonly Toast[]>([]);
  private readonly ends = new Map<number, { timer: ReturnType<typeof setTimeout>; leftMs: number; since: number }>();
  private lastId = 0;

  /** Oldest first. */
  get shown(): ReadonlySignal<readonly Toast[]> {
    return this.list;
  }

  show(content: ToastContent): void {
    const toast = { isUndo: false, ...content, id: ++this.lastId };
    const shown = [...this.list.peek(), toast];
    for (const { id } of shown.slice(0, -MAX_SHOWN)) this.forget(id);
    this.list.value = shown.slice(-MAX_SHOWN);
    this.start(toast.id, UNDO_MS);
  }

  dismiss(id: number): void {
    this.forget(id);
    this.list.value = this.list.peek().filter(toast => toast.id !== id);
  }

  act(toast: Toast): void {
    this.dismiss(toast.id);
    toast.act?.();
  }

  /** Takes the latest action back that is still shown. @returns false if there is none */
  undo(): boolean {
    const latest = this.list
      .peek()
      .filter(({ isUndo }) => isUndo)
      .at(-1);
    if (latest) this.act(latest);
    return latest !== undefined;
  }

  /** All wait while somebody points at them or focuses them. */
  pause(): void {
    for (const end of this.ends.values()) {
      clearTimeout(end.timer);
      end.leftMs = Math.max(0, end.leftMs - (performance.now() - end.since));
    }
  }

  resume(): void {
    // a copy, because each start puts its toast to the end
    for (const [id, { leftMs }] of [...this.ends]) this.start(id, leftMs);
  }

  private start(id: number, leftMs: number): void {
    this.forget(id);
    const timer = setTimeout(() => this.dismiss(id), leftMs);
    this.ends.set(id, { timer, leftMs, since: performance.now() });
  }

  private forget(id: number): void {
    clearTimeout(this.ends.get(id)?.timer);
    this.ends.delete(id);
  }
}

/** The toasts of the page, which `ToastList` shows. */
export const toasts = new Toasts();
