import type { Config } from '../../config/config.js';

/** Returns the body of `/healthz`, with the name of the process if INSTANCE_ID is set. */
export function aliveBody({ instanceId }: Config): { status: 'ok'; instance?: string } {
  return { status: 'ok', ...(instanceId === null ? {} : { instance: instanceId }) };
}
