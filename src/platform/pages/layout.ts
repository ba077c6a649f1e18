/** Paths of the served pages. */
export const PAGE = {
  root: '/',
  reference: '/docs',
  openapi: '/openapi.json',
  realtime: '/docs/realtime',
  asyncapi: '/asyncapi.json',
  events: '/docs/events',
  health: '/healthz',
  stylesheet: '/docs/page.css',
} as const;

/** Renders an HTML page. It has no inline script or style, which the content security policy forbids. */
export function htmlPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="${PAGE.stylesheet}">
<link rel="icon" type="image/png" sizes="32x32" href="/docs/favicon-32x32.png">
</head>
<body>
<nav><a href="${PAGE.root}">Support chat platform</a> <a href="${PAGE.reference}">API reference</a> <a href="${PAGE.realtime}">Realtime guide</a> <a href="${PAGE.events}">Events</a></nav>
<main>
${body}</main>
</body>
</html>
`;
}

export const STYLESHEET = `
:root { color-scheme: light dark }
body { margin: 0; font: 16px/1.6 system-ui, sans-serif }
nav { padding: 12px 24px; border-bottom: 1px solid #8884 }
nav a { margin-right: 20px }
nav a:first-child { font-weight: 600 }
main { max-width: 60rem; margin: 0 auto; padding: 8px 24px 64px; overflow-wrap: anywhere }
h1, h2 { line-height: 1.25; margin-top: 1.6em }
a { color: #0b6e4f }
code { padding: 1px 4px; border-radius: 4px; background: #8882; font: 0.9em ui-monospace, monospace }
pre { padding: 12px 16px; border-radius: 6px; background: #8882; overflow-x: auto }
pre code { padding: 0; background: none }
table { display: block; overflow-x: auto; border-collapse: collapse }
th, td { padding: 6px 12px; border: 1px solid #8884; text-align: left; vertical-align: top; overflow-wrap: normal }
@media (prefers-color-scheme: dark) { a { color: #5fd3a8 } }
`.trimStart();
