/** Stops of the services and databases that the present spec file has started, in order. */
const running = new Set();

/**
 * Returns the stop so that it runs once. A spec file that fails before it stops a service is stopped at its end:
 * otherwise Jest would wait for the service for ever.
 */
export function stoppedAtEnd(stop) {
  let stopping;
  const stopOnce = () => {
    running.delete(stopOnce);
    return (stopping ??= stop());
  };
  running.add(stopOnce);
  return stopOnce;
}

/** Stops what the spec file has not stopped, last started first. */
export async function stopLeftovers() {
  for (const stop of [...running].reverse()) await stop();
}
