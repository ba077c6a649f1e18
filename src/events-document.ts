import { EVENT_REGISTRY } from './events.js';
import { closeCodes } from './kernel/close-codes.js';
import type { FrameDefinition } from './modules/realtime/index.js';
import { CLIENT_FRAMES, EPHEMERAL_FRAMES, eventFramesOf, NO_DATA } from './modules/realtime/index.js';
import { markdownPage, markdownTable } from './platform/pages/markdown-text.js';

/**
 * Lists every frame and close code as Markdown, for `docs/generated/events.md` and for the page that the service
 * serves.
 * @param notices paragraphs below the title
 */
export function eventsDocument(...notices: string[]): string {
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
    ...notices,
    'Schemas are in `components.schemas` of `openapi.json` and `asyncapi.json`. A dash means that the frame is not sent to this audience.',
    '## Durable events',
    '`{type, id, cursor, timestamp, conversation_id?, channel_id?, data}`',
    markdownTable(['Type', 'Sent to agents', 'Sent to visitors', 'When'], rows(eventFramesOf(EVENT_REGISTRY))),
    '## Ephemeral frames',
    markdownTable(['Type', 'Sent to agents', 'Sent to visitors', 'When'], rows(EPHEMERAL_FRAMES)),
    '`error` answers a frame that could not be handled: `{type, error: {code, message}}`.',
    '## Frames from clients',
    'Put the fields at the top level, under `data` or under `payload`. A dash means that this audience cannot send the frame.',
    markdownTable(['Type', 'From agents', 'From visitors', 'Effect'], rows(CLIENT_FRAMES)),
    '## Close codes',
    markdownTable(['Code', 'Then', 'Why'], closes),
  );
}
