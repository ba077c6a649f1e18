import { randomUUID } from 'node:crypto';
import { dial } from './dial.js';

/** MQTT 3.1.1, as much as the load needs: to hear one topic, and to publish and be told that it has come. */

const CONNECT = 1;
const CONNACK = 2;
const PUBLISH = 3;
const PUBACK = 4;
const SUBSCRIBE = 8;
const SUBACK = 9;
const AT_LEAST_ONCE = 0b0010;
/** A user, a password, and nothing that is kept for later. */
const FLAGS = 0b1100_0010;

/** @param spec `{topic}` @returns as `listener.js` does, once it is subscribed */
export async function listen(port, { topic }, heard, lost) {
  const client = await enter(port);
  await client.ask(packet(SUBSCRIBE, AT_LEAST_ONCE, [0, 1, ...string(topic), 0]));
  client.goOn({ heard, lost });
  return { close: client.close };
}

/** @returns a connection that carries one message after another, as `requests.js` has it */
export function open(port) {
  return enter(port);
}

/** @param target `{topic, before, after}` @returns content → the packet by which it is published */
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

/** As `dial.js` wants it: what the packet at that place means to the client. */
function readPacket(data, at, { answered, heard }) {
  const [start, end] = bodyOf(data, at);
  if (end < 0 || end > data.length) return -1;
  const type = data[at] >> 4;
  if (type === PUBLISH) heard(data, start, end);
  else if (type === PUBACK) answered(null);
  else if (type === CONNACK || type === SUBACK) {
    const failure = data[end - 1];
    answered(failure === 0 ? null : new Error(`a socket was refused: ${failure}`));
  }
  return end;
}

/** @returns where it starts and ends; the end is -1 where not even that is there yet */
function bodyOf(data, at) {
  let length = 0;
  for (let place = at + 1; place < data.length; place += 1) {
    length += (data[place] & 0x7f) << (7 * (place - at - 1));
    if (data[place] < 0x80) return [place + 1, place + 1 + length];
  }
  return [at, -1];
}

function string(text) {
  return [text.length >> 8, text.length & 0xff, ...Buffer.from(text)];
}

/** Of up to 16,383 bytes. */
function packet(type, flags, head, body = Buffer.alloc(0)) {
  const length = head.length + body.length;
  const lengths = length < 128 ? [length] : [(length & 0x7f) | 0x80, length >> 7];
  return Buffer.concat([Buffer.from([(type << 4) | flags, ...lengths, ...head]), body]);
}
