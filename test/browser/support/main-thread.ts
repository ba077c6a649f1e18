import type { Page } from 'playwright-core';

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** Microseconds, as all times of a trace. */
  ts: number;
  dur?: number;
  /** Time of the processor. Unlike `dur`, other processes of the machine add nothing to it. */
  tdur?: number;
  args: { data?: { url?: string; functionName?: string } };
}

const CATEGORIES = ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'toplevel'];

/** Head of a page that parses 1 MB of JSON, in a task of its own, after the launcher has been shown. */
export const YARDSTICK = `<script>
  const text = JSON.stringify(Array.from({ length: 20_000 }, (_, id) => ({ id, name: 'item ' + id, tags: ['a', 'b'] })));
  function yardstick() {
    const { length } = JSON.parse(text);
    // in a later task: the trace ends with this message, and must not cut the yardstick off
    setTimeout(() => console.info('parsed', length));
  }
  addEventListener('support-chat:ready', () => requestAnimationFrame(() => setTimeout(yardstick, 100)));
</script>`;

/**
 * Opens a page with `YARDSTICK`. No script of the test runs in it meanwhile.
 * @returns processor time (ms) of the longest task from the evaluation of the widget's script on, and that of the yardstick
 */
export async function measureTasks(page: Page, url: string): Promise<{ longest: number; yardstick: number }> {
  const browser = page.context().browser()!;
  await browser.startTracing(page, { categories: CATEGORIES });
  await Promise.all([page.waitForEvent('console', message => message.text().startsWith('parsed')), page.goto(url)]);
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const find = (matches: (event: TraceEvent) => boolean | undefined): TraceEvent => {
    const found = traceEvents.find(matches);
    if (!found) throw new Error('the trace is incomplete');
    return found;
  };
  const script = find(({ name, args }) => name === 'EvaluateScript' && args.data?.url?.endsWith('/widget.js'));
  const last = find(({ args }) => args.data?.functionName === 'yardstick');
  const tasks = traceEvents.filter(
    ({ name, pid, tid, ts, dur = 0 }) =>
      name === 'RunTask' && pid === script.pid && tid === script.tid && ts + dur >= script.ts && ts + dur < last.ts,
  );
  const times = tasks.map(({ tdur = 0 }) => tdur / 1000);
  return { longest: Math.max(...times), yardstick: last.tdur! / 1000 };
}
