import { connect } from 'node:net';

/**
 * A connection to a server that speaks a protocol of its own.
 * @param read takes the bytes there are, a place in them, and `{answered, heard, write}`; says to these what stands
 *   there, and answers where it ends, or -1 when it is not all there
 * @returns `ask` writes and is settled when it is answered, by a callback as in `requests.js` or else by a promise;
 *   `goOn({heard, lost})` hears what comes from now on: a buffer, where a message starts and ends, and the reason when the
 *   connection ends that nobody has closed
 */
export function dial(port, read) {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  let waiting = null;
  let lost = () => undefined;
  let rest = null;
  const means = {
    heard: () => undefined,
    write: bytes => void socket.write(bytes),
    answered(error) {
      const done = waiting;
      waiting = null;
      // as HTTP says it
      done?.(error, 200);
    },
  };
  const end = reason => {
    if (waiting) means.answered(new Error(`a socket was refused: ${reason}`));
    lost(reason);
    lost = () => undefined;
  };
  const ask = (bytes, done) => {
    waiting = done;
    socket.write(bytes);
  };
  socket.on('data', chunk => {
    const data = rest === null ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    for (let next = 0; at < data.length; at = next) {
      next = read(data, at, means);
      if (next < 0) break;
    }
    rest = at < data.length ? data.subarray(at) : null;
  });
  socket.on('error', error => end(error.message));
  socket.on('close', () => end('cut'));
  return {
    ask: (bytes, done) =>
      done ? ask(bytes, done) : new Promise((yes, no) => ask(bytes, error => (error ? no(error) : yes()))),
    goOn(hears) {
      means.heard = hears.heard;
      lost = hears.lost;
    },
    close() {
      waiting = null;
      lost = () => undefined;
      socket.destroy();
    },
  };
}
