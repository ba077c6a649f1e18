import type { ChannelView } from '@support-chat/sdk';

type Token = Pick<ChannelView, 'widget_token'>;

/** The line of HTML that shows the launcher. @param service address without a slash at the end */
export function snippet(service: string, { widget_token: token }: Token): string {
  return `<script async src="${service}/widget.js" data-widget-token="${token}"></script>`;
}

/** The same for pages that know who their visitor is. */
export function identifySnippet(service: string, channel: Token): string {
  return `<script>
  window.SupportChat ||= function () {
    (SupportChat.q ||= []).push(arguments);
  };
  SupportChat('boot', {
    externalId: 'customer-42',
    identityToken: async () => (await fetch('/chat-token')).text(),
  });
</script>
${snippet(service, channel)}`;
}

/** Signs the identity token that the pages fetch. */
export const SERVER_SNIPPET = `app.get('/chat-token', (request, response) => {
  const token = jwt.sign({ sub: request.user.id }, process.env.IDENTITY_SECRET, {
    algorithm: 'HS256',
    expiresIn: '1h',
  });
  response.type('text').send(token);
});`;

/**
 * Sources that a page with a Content-Security-Policy has to allow.
 * @param pictures addresses of the logo and of the faces in the chat
 */
export function policyFor(service: string, pictures: readonly (string | null)[]): string {
  const { origin } = new URL(service);
  const others = pictures.flatMap(picture => (picture && URL.canParse(picture) ? [new URL(picture).origin] : []));
  const images = [...new Set([origin, ...others])].join(' ');
  return `script-src ${origin}; connect-src ${origin} ${origin.replace(/^http/, 'ws')}; img-src ${images}`;
}

/** Address of the chat as a page of its own. */
export function chatLink(service: string, { widget_token: token }: Token): string {
  return `${service}/chat?widget_token=${token}`;
}
