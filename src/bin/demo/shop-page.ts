import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Application, Request, Response } from 'express';

export const SHOP_PATH = '/demo';
const STYLES_PATH = `${SHOP_PATH}/shop.css`;

/** Serves a page of a small shop that has the widget, as a company's own page has it. */
export function serveShopPage(app: NestExpressApplication, widgetToken: () => string | undefined): void {
  const router = app.getHttpAdapter().getInstance() as Application;
  router.get(SHOP_PATH, (_request: Request, response: Response) => {
    response.setHeader('Cache-Control', 'no-store');
    response.type('html').send(shopPage(widgetToken()));
  });
  router.get(STYLES_PATH, (_request: Request, response: Response) => void response.type('css').send(STYLES));
}

const GOODS = [
  { name: 'Fellside boots', price: '£129', text: 'Waxed leather, resoled for life.', hue: 30 },
  { name: 'Tarn wool blanket', price: '£74', text: 'Woven in Cumbria from undyed wool.', hue: 200 },
  { name: 'Harbour lamp', price: '£58', text: 'Brass and smoked glass, with a warm light.', hue: 45 },
  { name: 'Pine tea mugs', price: '£26', text: 'Two stoneware mugs, safe in the dishwasher.', hue: 150 },
];

/** @param token undefined until the demo's workspace is ready: the page then loads itself again */
function shopPage(token: string | undefined): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${token === undefined ? '<meta http-equiv="refresh" content="1">\n' : ''}<title>Harbour &amp; Pine</title>
<link rel="stylesheet" href="${STYLES_PATH}">
</head>
<body>
<header><strong>Harbour &amp; Pine</strong><nav><a href="#goods">Shop</a><a href="#delivery">Delivery</a></nav></header>
<main>
<h1>Things for slow weekends</h1>
<p class="lead">This shop is invented; the chat in the corner is not. Write a message: the demo's agents answer it.</p>
<ul id="goods">
${GOODS.map(({ name, price, text, hue }) => `<li><div class="picture hue-${hue}"></div><h2>${name}</h2><p>${text}</p><b>${price}</b></li>`).join('\n')}
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
.picture { aspect-ratio: 4 / 5; border-radius: 4px }
${GOODS.map(({ hue }) => `.hue-${hue} { background: linear-gradient(160deg, hsl(${hue} 35% 82%), hsl(${hue} 30% 58%)) }`).join('\n')}
`.trimStart();
