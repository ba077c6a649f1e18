import { Eta } from 'eta';
import { PAGE } from '../../platform/pages/layout.js';
import type { Channel } from '../channels/index.js';

const eta = new Eta({ autoEscape: true });

/** Keeps browsers from asking for `/favicon.ico`. */
const NO_ICON = 'data:,';

/**
 * The page boots the widget in full size, by the attribute `data-mode` of the loader. It contains no inline script or
 * style, and its addresses are relative, so that it works below any path.
 */
const CHAT = eta.compile(`<!doctype html>
<html lang="<%= it.locale %>">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="<%= it.color %>">
<meta name="robots" content="noindex">
<title><%= it.title %></title>
<link rel="icon" href="<%= it.icon %>">
<script async src="./widget.js" data-widget-token="<%= it.token %>" data-mode="page"></script>
</head>
<body>
<noscript><p>This chat needs JavaScript. Allow it for this page and reload the page.</p></noscript>
</body>
</html>
`);

export const UNKNOWN_CHAT_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Chat not found</title>
<link rel="icon" href="${NO_ICON}">
<link rel="stylesheet" href=".${PAGE.stylesheet}">
</head>
<body>
<main>
<h1>This chat does not exist</h1>
<p>The link is incomplete or out of date, or the chat has been switched off. Open the chat from the company's website.</p>
</main>
</body>
</html>
`;

/** A widget token as the service makes them, and no other text, which the database might not even accept. */
const WIDGET_TOKEN = /^wt_[A-Za-z0-9]{1,64}$/;

export function isWidgetToken(text: unknown): text is string {
  return typeof text === 'string' && WIDGET_TOKEN.test(text);
}

export function chatPage({ widgetToken, widgetConfig }: Channel): string {
  const { title, locale, theme } = widgetConfig;
  const icon = theme.logo_url?.startsWith('https:') ? theme.logo_url : NO_ICON;
  return eta.render(CHAT, { title, locale: locale || 'en', color: theme.primary_color, icon, token: widgetToken });
}

/**
 * Allows scripts, styles and connections of the service alone, and pictures and sounds from anywhere, because a logo or
 * a file of a message can be anywhere.
 * @param publicUrl older browsers do not include web sockets in `'self'`
 * @param allowedOrigins pages that may show the chat page in a frame; an empty list allows all
 * @param https the service requires HTTPS
 */
export function chatPagePolicy(publicUrl: string, allowedOrigins: readonly string[], https: boolean): string {
  const { origin } = new URL(publicUrl);
  const ancestors = allowedOrigins.length === 0 ? ['*'] : ["'self'", ...allowedOrigins];
  const media = `'self' ${origin} data: blob: https:`;
  const directives = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src 'self' ${origin} ${origin.replace(/^http/, 'ws')}`,
    `img-src ${media}`,
    `media-src ${media}`,
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${ancestors.join(' ')}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  return [...directives, ...(https ? ['upgrade-insecure-requests'] : [])].join('; ');
}
