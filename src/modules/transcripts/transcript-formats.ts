import { Eta } from 'eta';
import type { Transcript, TranscriptFormat } from './transcript.js';
import { headOf, remarksOf, textOf, titleOf } from './transcript.js';

/** A transcript as a file. */
export interface TranscriptFile {
  format: TranscriptFormat;
  content: string;
  filename: string;
}

const EXTENSIONS: Record<TranscriptFormat, string> = { json: 'json', text: 'txt', html: 'html' };

const eta = new Eta({ autoEscape: true });

/** No script, no link and nothing remote, whatever the messages contain. */
const PAGE = eta.compile(`<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title><%= it.title %></title>
<style>
body { max-width: 45rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif }
article { margin: 1rem 0 } .head, .event { color: #616e7c; font-size: 14px } .text { white-space: pre-wrap; overflow-wrap: anywhere }
</style>
</head>
<body>
<h1><%= it.title %></h1>
<% for (const remark of it.remarks) { %><p><%= remark %></p>
<% } %>
<% for (const entry of it.entries) { %><article><div class="head"><%= entry.head %></div><div class="<%= entry.event ? 'event' : 'text' %>"><%= entry.text %></div></article>
<% } %>
</body>
</html>
`);

export function toTranscriptFile(transcript: Transcript, format: TranscriptFormat): TranscriptFile {
  return {
    format,
    content: WRITERS[format](transcript),
    filename: `conversation-${transcript.number}.${EXTENSIONS[format]}`,
  };
}

const WRITERS: Record<TranscriptFormat, (transcript: Transcript) => string> = {
  json: toJson,
  text: toText,
  html: toHtml,
};

function toJson({ number, desk, complete, times, entries }: Transcript): string {
  return JSON.stringify({ number, desk, timezone: times.timezone, complete, messages: entries }, null, 2);
}

function toText(transcript: Transcript): string {
  const entries = transcript.entries.map(
    entry => `${headOf(entry, transcript.times)}\n${entry.event ?? textOf(entry)}`,
  );
  return `${[titleOf(transcript), remarksOf(transcript).join('\n'), ...entries].join('\n\n')}\n`;
}

function toHtml(transcript: Transcript): string {
  const entries = transcript.entries.map(entry => ({
    head: headOf(entry, transcript.times),
    text: entry.event ?? textOf(entry),
    event: entry.event !== null,
  }));
  return eta.render(PAGE, { title: titleOf(transcript), remarks: remarksOf(transcript), entries });
}
