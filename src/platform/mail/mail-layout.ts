import { Eta } from 'eta';

/** A part of a mail's body, from top to bottom. All texts are plain: the layout escapes them. */
export type MailPart =
  | { kind: 'text'; text: string }
  /** A link that the reader should follow, shown as a button. */
  | { kind: 'link'; label: string; url: string }
  /** Words of a person, with the name and time above. Line breaks stay; nothing in it becomes a link. */
  | { kind: 'quote'; name: string; at: string; text: string }
  | { kind: 'small'; text: string; url?: string };

export interface MailBody {
  text: string;
  html: string;
}

const eta = new Eta({ autoEscape: true });

/**
 * Tables and inline styles, because mail clients ignore much else; no script and no remote content. Clients that support
 * it use the colours of the dark scheme.
 */
const LAYOUT = eta.compile(`<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title><%= it.title %></title>
<style>
@media (prefers-color-scheme: dark) {
  .page { background: #111418 !important }
  .card { background: #1b2026 !important; color: #e8eaed !important }
  .quote { background: #252b33 !important; color: #e8eaed !important }
  .small, .small a { color: #9aa4b2 !important }
}
</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f4f5f7">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#f4f5f7"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" class="card" width="560" cellpadding="0" cellspacing="0" border="0" style="width:100%;max-width:560px;background:#ffffff;color:#1f2933;border-radius:8px;font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;font-size:16px;line-height:24px"><tr><td style="padding:24px">
<% for (const part of it.parts) { %>
<% if (part.kind === 'text') { %><p style="margin:0 0 16px"><%= part.text %></p>
<% } else if (part.kind === 'link') { %><table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 16px"><tr><td style="background:#1f4fd8;border-radius:6px"><a href="<%= part.url %>" style="display:inline-block;padding:10px 20px;color:#ffffff;text-decoration:none;font-weight:600"><%= part.label %></a></td></tr></table>
<% } else if (part.kind === 'quote') { %><table role="presentation" class="quote" width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 12px;background:#f4f5f7;border-radius:6px"><tr><td style="padding:12px 16px"><strong><%= part.name %></strong> <span class="small" style="color:#616e7c;font-size:13px"><%= part.at %></span><br><span style="white-space:pre-wrap"><%= part.text %></span></td></tr></table>
<% } else { %><p class="small" style="margin:16px 0 0;color:#616e7c;font-size:13px;line-height:18px"><%= part.text %><% if (part.url) { %> <a href="<%= part.url %>" style="color:#616e7c"><%= part.url %></a><% } %></p>
<% } %>
<% } %>
</td></tr></table>
</td></tr></table>
</body>
</html>
`);

/** Renders a mail as plain text and as HTML with the same content. */
export function renderMail(title: string, parts: readonly MailPart[]): MailBody {
  return { text: `${parts.map(toText).join('\n\n')}\n`, html: eta.render(LAYOUT, { title, parts }) };
}

function toText(part: MailPart): string {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'link':
      return `${part.label}:\n${part.url}`;
    case 'quote':
      return [`${part.name}, ${part.at}:`, ...part.text.split('\n').map(line => `> ${line}`)].join('\n');
    case 'small':
      return part.url === undefined ? part.text : `${part.text}\n${part.url}`;
  }
}
