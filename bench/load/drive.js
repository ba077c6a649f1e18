import { setTimeout as delay } from 'node:timers/promises';
import { watch } from '../measure/processor.js';
import { quantile } from '../measure/statistics.js';
import { protocolOf } from './protocols.js';

/** Silence after which messages that have not arrived count as missing. */
const SILENCE_MS = 2_000;
/** Additional time of an open loop for messages that found no free connection. */
const OVERTIME_MS = 5_000;

/**
 * Sends requests to the targets in turn and measures. Closed loop: each connection sends as soon as it has a response.
 * Open loop, with `perSecond`: sends at that rate, however slow the server is. `times` limits the number of requests.
 * @param wants `{port, targets, connections, seconds, lead?, times?, perSecond?, listenersEach, watched}`; `lead` is
 * seconds of load before measuring
 * @returns `{rate, ackP50, ackP95, ackP99, deliveryP50, deliveryP99, missing, repeated, operations, cpu}`: the rate per second
 * up to the last delivery, latencies in milliseconds, and processor seconds by name
 */
export async function drive(tally, wants) {
  const { port, targets, connections, seconds, lead = 0, times = Infinity, perSecond, listenersEach, watched } = wants;
  const protocol = protocolOf(targets[0]);
  const texts = targets.map(protocol.requestTo);
  const open = await Promise.all(Array.from({ length: connections }, () => protocol.open(port)));
  const acks = [];
  let turn = 0;
  const ask = (requester, since) =>
    new Promise((done, failed) => {
      const text = texts[turn++ % texts.length](tally.content(since));
      const begun = performance.now();
      requester.ask(text, (error, status) => {
        if (error) return failed(error);
        if (status !== 200 && status !== 201) return failed(new Error(`a request returned ${status}`));
        acks.push(performance.now() - begun);
        done();
      });
    });
  const load = until => (perSecond ? openLoop(open, ask, perSecond, until) : closedLoop(open, ask, until, times));
  try {
    tally.begin(Math.ceil(listenersEach / 10));
    if (lead > 0) {
      await load(performance.now() + lead * 1000);
      await waitForDeliveries(tally, acks.splice(0).length * listenersEach);
      tally.begin(Math.ceil(listenersEach / 10));
    }
    const watching = watch(watched, process.ppid);
    const begun = performance.now();
    const unsent = await load(begun + seconds * 1000);
    const answeredAt = performance.now();
    await waitForDeliveries(tally, acks.length * listenersEach);
    const cpu = watching();
    const end = listenersEach > 0 ? Math.max(answeredAt, tally.lastFrameAt) : answeredAt;
    const { missing, repeated } = tally.lacking(listenersEach);
    return {
      operations: acks.length,
      rate: (acks.length * 1000) / (end - begun),
      ackP50: quantile(acks, 0.5),
      ackP95: quantile(acks, 0.95),
      ackP99: quantile(acks, 0.99),
      deliveryP50: quantile(tally.delivery, 0.5),
      deliveryP99: quantile(tally.delivery, 0.99),
      missing: missing + unsent * listenersEach,
      repeated,
      cpu,
    };
  } finally {
    for (const requester of open) requester.close();
  }
}

async function closedLoop(open, ask, until, times) {
  let begun = 0;
  await Promise.all(
    open.map(async requester => {
      while (performance.now() < until && begun++ < times) await ask(requester, performance.now());
    }),
  );
  return 0;
}

/**
 * Sends at a fixed rate. A message without a free connection waits, and its latency counts from when it was due.
 * @returns the number of messages that were never sent because the server was far too slow
 */
async function openLoop(open, ask, perSecond, until) {
  const free = [...open];
  const due = [];
  let underWay = 0;
  let failed = null;
  const begin = () => {
    while (due.length > 0 && free.length > 0 && !failed) {
      // in turn, because the server closes idle connections
      const requester = free.shift();
      underWay += 1;
      const settled = error => {
        underWay -= 1;
        free.push(requester);
        failed ??= error ?? null;
        begin();
      };
      ask(requester, due.shift()).then(() => settled(), settled);
    }
  };
  const from = performance.now();
  let counted = 0;
  while (performance.now() < until && !failed) {
    const now = performance.now();
    for (const dueBy = Math.floor(((now - from) * perSecond) / 1000) + 1; counted < dueBy; counted += 1) due.push(now);
    begin();
    await delay(Math.max(0, from + (counted * 1000) / perSecond - performance.now()));
  }
  while ((due.length > 0 || underWay > 0) && performance.now() < until + OVERTIME_MS && !failed) await delay(1);
  const unsent = due.splice(0).length;
  while (underWay > 0 && !failed) await delay(1);
  if (failed) throw failed;
  return unsent;
}

async function waitForDeliveries(tally, expected) {
  let frames = -1;
  while (tally.frames < expected && frames !== tally.frames) {
    frames = tally.frames;
    const silentAt = performance.now() + SILENCE_MS;
    while (tally.frames < expected && frames === tally.frames && performance.now() < silentAt) await delay(1);
  }
}
