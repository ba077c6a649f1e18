/** Stops of the services and databases that the present spec file has started, in order. */
const running = new Set();

/**
 * Returns the stop so that it runs once. A spec file that fails before it stops a service is stopped at its end:
 * otherwise Jest would wait for the service for ever. Node keeps a spec file's variables for as long as the worker
 * runs, so a stop that has run is dropped, with all that it refers to.
 */
export function stoppedAtEnd(stop) {
  let stopping;
  const stopOnce = () => {
    running.delete(stopOnce);
    stopping ??= stop();
    stop = undefined;
    return stopping;
  };
  running.add(stopOnce);
  return stopOnce;
}

/** Stops what the spec file has not stopped, last started first. */
export async function stopLeftovers() {
  for (const stop of [...running].reverse()) await stop();
}
