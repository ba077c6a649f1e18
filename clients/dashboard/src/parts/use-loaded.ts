import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

export interface Loaded<Value> {
  /** Stays while a newer one is loaded, and if loading the same again fails. */
  readonly value: Value | undefined;
  /** Error of the last attempt. */
  readonly error: unknown;
  readonly isLoading: boolean;
  reload(): Promise<void>;
  set(value: Value): void;
}

interface State<Value> {
  value?: Value | undefined;
  error?: unknown;
  isLoading: boolean;
}

/**
 * A value of the service. It is loaded each time a screen is opened, and when the key changes. A late answer to an
 * earlier request is ignored.
 * @param load undefined if there is nothing to load @param key another key names another value
 */
export function useLoaded<Value>(load: (() => Promise<Value>) | undefined, key = ''): Loaded<Value> {
  const [state, setState] = useState<State<Value>>({ isLoading: load !== undefined });
  const latest = useRef({ load, key });
  latest.current = { load, key };
  const attempt = useRef(0);
  const loadedKey = useRef<string | undefined>(undefined);
  const reload = useCallback(async () => {
    const present = ++attempt.current;
    const { load: read, key: name } = latest.current;
    if (!read) return setState({ isLoading: false });
    setState(({ value }) => ({ value, isLoading: true }));
    try {
      const value = await read();
      if (present !== attempt.current) return;
      loadedKey.current = name;
      setState({ value, isLoading: false });
    } catch (error) {
      if (present !== attempt.current) return;
      setState(({ value }) => ({ ...(loadedKey.current === name && { value }), error, isLoading: false }));
    }
  }, []);
  useEffect(() => {
    void reload();
    return () => void attempt.current++;
  }, [key]);
  return {
    value: state.value,
    error: state.error,
    isLoading: state.isLoading,
    reload,
    set: value => setState({ value, isLoading: false }),
  };
}
