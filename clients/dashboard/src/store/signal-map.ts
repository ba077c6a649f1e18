import { signal, type ReadonlySignal, type Signal } from '@preact/signals';

/** Values by key, each with a signal of its own, which is created when it is read. */
export class SignalMap<V> {
  private readonly values = new Map<string, V>();
  private readonly signals = new Map<string, Signal<V | undefined>>();

  /** The signal of a key; its value is undefined while there is none. */
  get(key: string): ReadonlySignal<V | undefined> {
    let known = this.signals.get(key);
    if (!known) this.signals.set(key, (known = signal(this.values.get(key))));
    return known;
  }

  /** The present value, without a subscription. */
  peek(key: string): V | undefined {
    return this.values.get(key);
  }

  set(key: string, value: V): void {
    this.values.set(key, value);
    const known = this.signals.get(key);
    if (known) known.value = value;
  }

  delete(key: string): void {
    if (!this.values.delete(key)) return;
    const known = this.signals.get(key);
    if (known) known.value = undefined;
  }

  keys(): string[] {
    return [...this.values.keys()];
  }

  clear(): void {
    for (const key of this.keys()) this.delete(key);
  }
}
