import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { SignedInSession } from './entrance/entrance-state.js';

export const SessionContext = createContext<SignedInSession | undefined>(undefined);

/** The signed-in member. Only for components below the `Shell`. */
export function useSession(): SignedInSession {
  const session = useContext(SessionContext);
  if (!session) throw new Error('nobody is signed in here');
  return session;
}
