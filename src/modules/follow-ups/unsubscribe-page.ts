import { Eta } from 'eta';
import { PAGE } from '../../platform/pages/layout.js';
import type { LinkState } from './unsubscribe-links.service.js';

/** Allows the form and the stylesheet of the service, and nothing else. */
export const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const eta = new Eta({ autoEscape: true });

const LAYOUT = eta.compile(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title><%= it.title %></title>
<link rel="stylesheet" href=".${PAGE.stylesheet}">
</head>
<body>
<main>
<h1><%= it.title %></h1>
<p><%= it.text %></p>
<% if (it.button) { %><form method="post" action="<%= it.action %>"><button><%= it.button %></button></form>
<% } %>
</main>
</body>
</html>
`);

/** Renders the page of a link. The form posts to the page itself, below whatever path the service is served. */
export function unsubscribePage(token: string, { desk, unsubscribed }: LinkState): string {
  const action = `?${new URLSearchParams({ token, ...(unsubscribed && { undo: 'true' }) }).toString()}`;
  const title = unsubscribed ? 'You are unsubscribed' : 'Unsubscribe';
  const text = unsubscribed
    ? `${desk} sends you no more mails about unread messages.`
    : `${desk} mails you its answers while you have not read them in the chat.`;
  return eta.render(LAYOUT, { title, text, action, button: unsubscribed ? 'Subscribe again' : 'Unsubscribe' });
}

export function unknownLinkPage(): string {
  const text = 'This link is not complete, or the mail is very old. Use the link of a newer mail.';
  return eta.render(LAYOUT, { title: 'Unknown link', text, button: null, action: '' });
}
