import type { AgentClient, LiveBoardView } from '@support-chat/sdk';
import { useEffect, useState } from 'preact/hooks';

const REFRESH_MS = 10_000;

export interface LiveState {
  board?: LiveBoardView;
  /** Time (ms) at which the board was last true. */
  at?: number;
  /** Error of the last attempt. The board stays. */
  failure?: unknown;
}

/** Loads the live board every 10 s while the page is visible, at once when it becomes visible or gets a network. */
export function useLiveBoard(agent: AgentClient): LiveState & { reload: () => void } {
  const [state, setState] = useState<LiveState>({});
  const [request, setRequest] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isGone = false;
    let isLoading = false;
    const load = async () => {
      clearTimeout(timer);
      if (isLoading || isGone || document.hidden) return;
      isLoading = true;
      const change = await agent.reports.live().then(
        board => ({ board, at: Date.now(), failure: undefined }),
        (failure: unknown) => ({ failure }),
      );
      isLoading = false;
      if (isGone) return;
      setState(present => ({ ...present, ...change }));
      timer = setTimeout(() => void load(), REFRESH_MS);
    };
    const loadNow = () => void load();
    document.addEventListener('visibilitychange', loadNow);
    window.addEventListener('online', loadNow);
    loadNow();
    return () => {
      isGone = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', loadNow);
      window.removeEventListener('online', loadNow);
    };
  }, [agent, request]);
  return { ...state, reload: () => setRequest(request + 1) };
}
