import { randomUUID } from 'node:crypto';
import { dial } from './dial.js';

/** The part of MQTT 3.1.1 that the load needs: subscribe to one topic, and publish with acknowledgement. */

const CONNECT = 1;
const CONNACK = 2;
const PUBLISH = 3;
const PUBACK = 4;
const SUBSCRIBE = 8;
const SUBACK = 9;
const AT_LEAST_ONCE = 0b0010;
/** User, password, and a clean session. */
const FLAGS = 0b1100_0010;

/** @param spec `{topic}` @returns the result of `listener.js`, when subscribed */
export async function listen(port, { topic }, onMessage, lost) {
  const client = await enter(port);
  await client.ask(packet(SUBSCRIBE, AT_LEAST_ONCE, [0, 1, ...string(topic), 0]));
  client.goOn({ onMessage, lost });
  return { close: client.close };
}

/** @returns a connection that sends one message after another, like `requests.js` */
export function open(port) {
  return enter(port);
}

/** @param target `{topic, before, after}` @returns content → the packet that publishes it */
export function requestTo({ topic, before, after }) {
  const head = [...string(topic), 0, 1];
  return content => packet(PUBLISH, AT_LEAST_ONCE, head, Buffer.from(`${before}${content}${after}`));
}

async function enter(port) {
  const name = randomUUID();
  const client = dial(port, readPacket);
  const names = [...string(name), ...string(`${name}@localhost`), ...string('any')];
  await client.ask(packet(CONNECT, 0, [...string('MQTT'), 4, FLAGS, 0, 0, ...names]));
  return client;
}

/** Parses one packet for `dial.js`. */
function readPacket(data, at, { answered, onMessage }) {
  const [start, end] = bodyOf(data, at);
  if (end < 0 || end > data.length) return -1;
  const type = data[at] >> 4;
  if (type === PUBLISH) onMessage(data, start, end);
  else if (type === PUBACK) answered(null);
  else if (type === CONNACK || type === SUBACK) {
    const failure = data[end - 1];
    answered(failure === 0 ? null : new Error(`a socket was refused: ${failure}`));
  }
  return end;
}

/** @returns start and end of the packet's body; the end is -1 if the length is incomplete */
function bodyOf(data, at) {
  let length = 0;
  for (let index = at + 1; index < data.length; index += 1) {
    length += (data[index] & 0x7f) << (7 * (index - at - 1));
    if (data[index] < 0x80) return [index + 1, index + 1 + length];
  }
  return [at, -1];
}

function string(text) {
  return [text.length >> 8, text.length & 0xff, ...Buffer.from(text)];
}

/** Builds a packet of up to 16,383 bytes. */
function packet(type, flags, head, body = Buffer.alloc(0)) {
  const length = head.length + body.length;
  const lengths = length < 128 ? [length] : [(length & 0x7f) | 0x80, length >> 7];
  return Buffer.concat([Buffer.from([(type << 4) | flags, ...lengths, ...head]), body]);
}
