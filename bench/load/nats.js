import { dial } from './dial.js';

/** The part of the NATS protocol that the load needs. A PONG after a PUB confirms that the message arrived. */

const LINE_END = Buffer.from('\r\n');

/** @param spec `{topic}` @returns the result of `listener.js`, when subscribed */
export async function listen(port, { topic }, onMessage, lost) {
  const client = await open(port);
  await client.ask(`SUB ${topic} 1\r\nPING\r\n`);
  client.goOn({ onMessage, lost });
  return { close: client.close };
}

/** @returns a connection that sends one message after another, like `requests.js` */
export async function open(port) {
  const client = dial(port, readLine);
  await client.ask('CONNECT {"verbose":false}\r\nPING\r\n');
  return client;
}

/** @param target `{topic, before, after}`, all ASCII @returns content → the text that publishes it */
export function requestTo({ topic, before, after }) {
  const length = before.length + after.length;
  return content => `PUB ${topic} ${length + content.length}\r\n${before}${content}${after}\r\nPING\r\n`;
}

/** Parses one line with its payload for `dial.js`. */
function readLine(data, at, { answered, onMessage, write }) {
  const end = data.indexOf(LINE_END, at);
  if (end < 0) return -1;
  const next = end + LINE_END.length;
  const line = data.latin1Slice(at, end);
  if (line.startsWith('MSG ')) {
    const length = Number(line.slice(line.lastIndexOf(' ') + 1));
    if (next + length + LINE_END.length > data.length) return -1;
    onMessage(data, next, next + length);
    return next + length + LINE_END.length;
  }
  if (line === 'PONG') answered(null);
  else if (line === 'PING') write('PONG\r\n');
  else if (line.startsWith('-ERR')) answered(new Error(`a socket was refused: ${line}`));
  return next;
}
