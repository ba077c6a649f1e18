type Listener<T> = (event: T) => void;

/** Calls the listeners of an event type. */
export class Emitter<Events extends object> {
  private readonly listeners = new Map<keyof Events, Set<Listener<never>>>();

  /** @returns a function that removes the listener */
  on<T extends keyof Events>(type: T, listener: Listener<Events[T]>): () => void {
    const ofType = this.listeners.get(type) ?? new Set();
    this.listeners.set(type, ofType.add(listener));
    return () => void ofType.delete(listener);
  }

  emit<T extends keyof Events>(type: T, event: Events[T]): void {
    for (const listener of [...(this.listeners.get(type) ?? [])]) {
      try {
        (listener as Listener<Events[T]>)(event);
      } catch (error) {
        // An error in one listener is reported as uncaught; the other listeners still run.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
