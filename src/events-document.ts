import { EVENT_REGISTRY } from './events.js';
import { closeCodes } from './kernel/close-codes.js';
import type { FrameDefinition } from './modules/realtime/index.js';
import { CLIENT_FRAMES, EPHEMERAL_FRAMES, eventFramesOf, NO_DATA } from './modules/realtime/index.js';
import { markdownPage, markdownTable } from './platform/pages/markdown-text.js';

/**
 * Every frame and close code, as Markdown: `docs/generated/events.md`, and the page that the service serves.
 * @param note stands below the title
 */
export function eventsDocument(...note: string[]): string {
  const shape = (name: string | null) => (name === null ? '–' : name === NO_DATA ? name : `\`${name}\``);
  const rows = (frames: Record<string, FrameDefinition>) =>
    Object.entries(frames).map(([type, { summary, agent, visitor }]) => [
      `\`${type}\``,
      shape(agent),
      shape(visitor),
      summary,
    ]);
  const closes = closeCodes().map(({ code, then, why }) => [String(code), then, why]);
  return markdownPage(
    'Events and frames',
    ...note,
    'Shapes are those of `components.schemas` in `openapi.json` and `asyncapi.json`. A dash: not sent to them.',
    '## Durable: one event, one frame',
    '`{type, id, cursor, timestamp, conversation_id?, channel_id?, data}`',
    markdownTable(['Type', 'Agents get', 'Visitors get', 'When'], rows(eventFramesOf(EVENT_REGISTRY))),
    '## Of the moment',
    markdownTable(['Type', 'Agents get', 'Visitors get', 'When'], rows(EPHEMERAL_FRAMES)),
    '`error` answers a frame that could not be handled: `{type, error: {code, message}}`.',
    '## From clients',
    'Fields stand at the top level, under `data` or under `payload`. A dash: not from them.',
    markdownTable(['Type', 'Of agents', 'Of visitors', 'Effect'], rows(CLIENT_FRAMES)),
    '## Close codes',
    markdownTable(['Code', 'Then', 'Why'], closes),
  );
}
