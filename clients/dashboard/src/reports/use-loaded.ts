import { useEffect, useRef, useState } from 'preact/hooks';

export interface Loaded<T> {
  /** Stays while newer data is loaded. */
  data?: T | undefined;
  /** Error of the last attempt. */
  failure?: unknown;
  isLoading: boolean;
  reload: () => void;
}

/**
 * Loads data when the key changes, and on request. A late answer to an earlier request is ignored.
 * @param load undefined if there is nothing to load
 */
export function useLoaded<T>(key: string, load: (() => Promise<T>) | undefined): Loaded<T> {
  const [state, setState] = useState<{ data?: T | undefined; failure?: unknown; isLoading: boolean }>({
    isLoading: load !== undefined,
  });
  const latest = useRef(0);
  const start = () => {
    const attempt = ++latest.current;
    if (!load) {
      setState({ isLoading: false });
      return;
    }
    setState(({ data }) => ({ data, isLoading: true }));
    load().then(
      data => {
        if (attempt === latest.current) setState({ data, isLoading: false });
      },
      (failure: unknown) => {
        if (attempt === latest.current) setState({ failure, isLoading: false });
      },
    );
  };
  useEffect(() => {
    start();
    return () => {
      latest.current++;
    };
  }, [key]);
  return { ...state, reload: start };
}
