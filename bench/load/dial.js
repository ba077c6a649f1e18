import { connect } from 'node:net';

/**
 * Opens a connection with a non-HTTP protocol.
 * @param read (buffer, offset, `{answered, onMessage, write}`) parses one packet, calls these functions for it, and
 * returns   the offset of its end, or -1 if it is incomplete
 * @returns `ask` writes and completes with the response, by a callback as in `requests.js` or by a promise;
 * `goOn({onMessage, lost})` sets callbacks for messages (buffer, start, end) and for the reason of an unexpected end
 */
export function dial(port, read) {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  let waiting = null;
  let lost = () => undefined;
  let rest = null;
  const means = {
    onMessage: () => undefined,
    write: bytes => void socket.write(bytes),
    answered(error) {
      const done = waiting;
      waiting = null;
      // the HTTP status that the caller expects
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
    goOn(callbacks) {
      means.onMessage = callbacks.onMessage;
      lost = callbacks.lost;
    },
    close() {
      waiting = null;
      lost = () => undefined;
      socket.destroy();
    },
  };
}
