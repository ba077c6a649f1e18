import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Application, Request, Response } from 'express';
import type { ServerClient } from '@support-chat/sdk';

export const SHOP_PATH = '/demo';
/** Leads into the dashboard without a password. */
export const AGENT_PATH = `${SHOP_PATH}/agent`;
const STYLES_PATH = `${SHOP_PATH}/shop.css`;

/** The demo's workspace, which exists later than the page. */
export interface Shop {
  widgetToken?: string;
  /** Signs agents in, as the server of a company does. */
  server?: ServerClient;
}

/**
 * Serves a page of a small shop that has the widget, as a company's own page has it, and the address that leads an agent
 * into the dashboard by single sign-on.
 */
export function serveShopPage(app: NestExpressApplication, shop: Shop, agentEmail: string): void {
  const router = app.getHttpAdapter().getInstance() as Application;
  router.get(SHOP_PATH, (_request: Request, response: Response) => {
    response.setHeader('Cache-Control', 'no-store');
    response.type('html').send(shopPage(shop.widgetToken));
  });
  router.get(AGENT_PATH, async (_request: Request, response: Response) => {
    response.setHeader('Cache-Control', 'no-store');
    if (!shop.server) return void response.type('html').send(WAITING_PAGE);
    const { redirect_url } = await shop.server.sso.ticket({ email: agentEmail });
    response.redirect(303, redirect_url);
  });
  router.get(STYLES_PATH, (_request: Request, response: Response) => void response.type('css').send(STYLES));
}

/** `drawing`: SVG in a square of 100. */
const GOODS = [
  {
    name: 'Fellside boots',
    price: '£129',
    text: 'Waxed leather, resoled for life.',
    hue: 30,
    drawing:
      '<path d="M34 20h22v30c0 6 6 8 14 10 8 2 12 6 12 14v2H34z"/><path d="M32 76h51v6H32z"/><path d="M56 32h-8M56 40h-8M57 48h-8M34 26h22"/>',
  },
  {
    name: 'Tarn wool blanket',
    price: '£74',
    text: 'Woven in Cumbria from undyed wool.',
    hue: 200,
    drawing:
      '<path d="M22 38q0-8 8-8h48v14H30q-8 0-8-6zM22 38v34q0 6 8 6h48V44H30q-8 0-8-6"/><path d="M30 56h48M30 62h48M78 50h6M78 58h6M78 66h6M78 74h6"/>',
  },
  {
    name: 'Harbour lamp',
    price: '£58',
    text: 'Brass and smoked glass, with a warm light.',
    hue: 45,
    drawing:
      '<circle cx="50" cy="38" r="20"/><path d="M44 58h12v14H44zM34 72h32v6H34z"/><path d="M43 36q7 9 14 0M50 40.5V58"/>',
  },
  {
    name: 'Pine tea mugs',
    price: '£26',
    text: 'Two stoneware mugs, safe in the dishwasher.',
    hue: 150,
    drawing:
      '<path d="M24 46h24v22q0 6-6 6H30q-6 0-6-6zM48 52h4q6 0 6 6t-6 6h-4"/><path d="M60 34h20v18q0 6-6 6h-9M60 34v12M80 40h4q5 0 5 5t-5 5h-4"/><path d="M32 38q-3-4 0-8M40 38q-3-4 0-8"/>',
  },
];

const ICON =
  'data:image/svg+xml,%3Csvg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"%3E%3Cpath fill="%230b6e4f" d="M5 0l4 8H6v2H4V8H1z"/%3E%3C/svg%3E';

const WAITING_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="1">
<title>The demo is being prepared</title>
<p>The demo is being prepared.</p>
</html>
`;

/** @param token undefined until the demo's workspace is ready: the page then loads itself again */
function shopPage(token: string | undefined): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${token === undefined ? '<meta http-equiv="refresh" content="1">\n' : ''}<title>Harbour &amp; Pine</title>
<link rel="icon" href='${ICON}'>
<link rel="stylesheet" href="${STYLES_PATH}">
</head>
<body>
<header><strong>Harbour &amp; Pine</strong><nav><a href="#goods">Shop</a><a href="#delivery">Delivery</a></nav></header>
<main>
<h1>Things for slow weekends</h1>
<p class="lead">This shop is invented; the chat in the corner is not. Write a message: the demo's agents answer it.</p>
<ul id="goods">
${GOODS.map(
  ({ name, price, text, hue, drawing }) =>
    `<li><svg class="picture hue-${hue}" viewBox="0 0 100 100" aria-hidden="true">${drawing}</svg><h2>${name}</h2><p>${text}</p><b>${price}</b></li>`,
).join('\n')}
</ul>
<h2 id="delivery">Delivery</h2>
<p>Orders before noon leave the same day. Exchanges are free for thirty days.</p>
</main>
${token === undefined ? '' : `<script async src="/widget.js" data-widget-token="${token}"></script>\n`}</body>
</html>
`;
}

const STYLES = `
:root { color-scheme: light; font: 17px/1.55 Georgia, 'Times New Roman', serif; color: #22302b; background: #f7f5f0 }
body { margin: 0 }
header { display: flex; justify-content: space-between; padding: 20px 6vw; border-bottom: 1px solid #22302b22 }
nav a { margin-left: 24px; color: inherit; text-underline-offset: 4px }
main { max-width: 1000px; margin: 0 auto; padding: 48px 6vw 120px }
h1 { margin: 0 0 8px; font-size: 40px; font-weight: 500; letter-spacing: -0.5px }
h2 { margin: 14px 0 2px; font-size: 18px; font-weight: 600 }
.lead { max-width: 38em; margin: 0 0 36px; color: #22302bcc }
ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(200px, 1fr)); gap: 28px; padding: 0; list-style: none }
li p { margin: 0 0 4px; font-size: 15px; color: #22302bcc }
.picture { display: block; width: 100%; aspect-ratio: 1; border-radius: 4px; fill: #ffffff55; stroke: #22302b; stroke-width: 1; stroke-linejoin: round; stroke-linecap: round }
${GOODS.map(({ hue }) => `.hue-${hue} { background: linear-gradient(160deg, hsl(${hue} 38% 86%), hsl(${hue} 30% 70%)) }`).join('\n')}
`.trimStart();
