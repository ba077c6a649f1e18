import { computed, signal, type ReadonlySignal } from '@preact/signals';

/** The rows that are chosen for an action on several. */
export class Selection {
  private readonly chosen = signal<ReadonlySet<string>>(new Set());

  readonly ids: ReadonlySignal<readonly string[]> = computed(() => [...this.chosen.value]);

  has(id: string): boolean {
    return this.chosen.value.has(id);
  }

  toggle(id: string): void {
    const next = new Set(this.chosen.peek());
    if (!next.delete(id)) next.add(id);
    this.chosen.value = next;
  }

  add(ids: readonly string[]): void {
    this.chosen.value = new Set([...this.chosen.peek(), ...ids]);
  }

  clear(): void {
    if (this.chosen.peek().size > 0) this.chosen.value = new Set();
  }
}
