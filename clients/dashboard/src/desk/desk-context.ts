import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Desk } from './desk.js';

export const DeskContext = createContext<Desk | undefined>(undefined);

/** The live state of the signed-in member. Only for components below the `Shell`. */
export function useDesk(): Desk {
  const desk = useContext(DeskContext);
  if (!desk) throw new Error('the desk is not open here');
  return desk;
}
