type Listener<T> = (event: T) => void;

/** Calls listeners by the type of an event. */
export class Emitter<Events extends object> {
  private readonly listeners = new Map<keyof Events, Set<Listener<never>>>();

  /** @returns what takes the listener off again */
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
        // One listener's mistake is reported like any uncaught error, but the others still hear of the event.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
