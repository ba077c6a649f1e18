import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

export interface Loaded<Value> {
  readonly value: Value | undefined;
  readonly error: unknown;
  reload(): Promise<void>;
  set(value: Value): void;
}

/** A value of the service. It is loaded again each time a screen is opened. */
export function useLoaded<Value>(load: () => Promise<Value>): Loaded<Value> {
  const [state, setState] = useState<{ value?: Value; error?: unknown }>({});
  const isMounted = useRef(true);
  const latest = useRef(load);
  latest.current = load;
  const reload = useCallback(async () => {
    try {
      const value = await latest.current();
      if (isMounted.current) setState({ value });
    } catch (error) {
      if (isMounted.current) setState(former => ({ ...former, error }));
    }
  }, []);
  useEffect(() => {
    void reload();
    return () => void (isMounted.current = false);
  }, []);
  return { value: state.value, error: state.error, reload, set: value => setState({ value }) };
}
