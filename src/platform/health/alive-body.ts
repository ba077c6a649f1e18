import type { Config } from '../../config/config.js';

/** What `/healthz` answers: that the process lives and, where it was given a name, which one it is. */
export function aliveBody({ instanceId }: Config): { status: 'ok'; instance?: string } {
  return { status: 'ok', ...(instanceId === null ? {} : { instance: instanceId }) };
}
