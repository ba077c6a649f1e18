import { seeded } from '../support/seeded.js';
import type { Fault } from './fault.js';
import { ASSIGNMENT_FAULTS } from './list/assignment.js';
import { BUS_FAULTS } from './list/bus.js';
import { CLIENT_FAULTS } from './list/clients.js';
import { CLOCK_FAULTS } from './list/clock.js';
import { CROWDING_FAULTS } from './list/crowding.js';
import { DATABASE_FAULTS } from './list/database.js';
import { FILE_FAULTS } from './list/files.js';
import { LOCK_FAULTS } from './list/locks.js';
import { LOG_FAULTS } from './list/log.js';
import { EMBEDDED_FAULTS } from './list/embedded.js';
import { MAIL_FAULTS } from './list/mails.js';
import { NEIGHBOUR_FAULTS } from './list/neighbours.js';
import { SERVER_FAULTS } from './list/servers.js';
import { SERVICE_FAULTS } from './list/service.js';
import { TIMER_FAULTS } from './list/timers.js';

/** Every fault. A new one takes part from the next seed on. */
export const FAULTS: readonly Fault[] = [
  ...SERVICE_FAULTS,
  ...DATABASE_FAULTS,
  ...LOCK_FAULTS,
  ...BUS_FAULTS,
  ...CLIENT_FAULTS,
  ...CLOCK_FAULTS,
  ...CROWDING_FAULTS,
  ...NEIGHBOUR_FAULTS,
  ...LOG_FAULTS,
  ...EMBEDDED_FAULTS,
  ...TIMER_FAULTS,
  ...ASSIGNMENT_FAULTS,
  ...MAIL_FAULTS,
  ...FILE_FAULTS,
  ...SERVER_FAULTS,
];

/**
 * The fault of a seed. Seeds come in rounds with every number once, in an order of the round's own. Faults of one
 * number alternate from round to round.
 */
export function faultOf(seed: number): Fault {
  const numbers = [...new Set(FAULTS.map(({ number }) => number))];
  const round = Math.floor((seed - 1) / numbers.length);
  const order = seeded(round);
  for (let last = numbers.length - 1; last > 0; last -= 1) {
    const other = Math.floor(order() * (last + 1));
    [numbers[last], numbers[other]] = [numbers[other] as `F${number}`, numbers[last] as `F${number}`];
  }
  const number = numbers[(seed - 1) % numbers.length];
  const ofNumber = FAULTS.filter(fault => fault.number === number);
  return ofNumber[round % ofNumber.length] as Fault;
}
