import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ChatService } from './support/chat-service.js';
import { Company } from './support/company.js';
import { CompanySite, snippet } from './support/company-site.js';
import { Firefox } from './support/firefox.js';

let service: ChatService;
let site: CompanySite;
let firefox: Firefox;

describe('The chat in Firefox', () => {
  beforeAll(async () => {
    [service, site, firefox] = await Promise.all([ChatService.start(), CompanySite.start(), Firefox.start()]);
  }, 240_000);
  afterAll(async () => {
    await Promise.all([firefox?.stop(), site?.stop(), service?.stop()]);
  });

  it('A visitor in Firefox is greeted, writes, gets an answer, and finds both again after a reload, under a strict policy.', async () => {
    const company = await Company.open(service, { widget_config: { greeting: 'Hello from the shop' } });
    const policy = `script-src ${service.url}; connect-src ${service.url} ${service.url.replace('http', 'ws')};
      img-src ${service.url} data:; style-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'`;
    const headers = { 'Content-Security-Policy': policy.replace(/\s+/g, ' ') };
    const tab = await firefox.open(site.publish({ headers, body: snippet(service.url, company.widgetToken) }));
    await tab.click('.welcome button', 'Hello from the shop');
    await tab.find('textarea:focus');
    await tab.write('Do you see this in Firefox?');
    await tab.find('.own', 'Sent');
    expect(await company.received()).toEqual(['Do you see this in Firefox?']);
    await company.answer('Yes, and **you** see this.');
    await tab.find('.their strong', 'you');
    await tab.reload();
    await tab.find('.own .bubble', 'Do you see this in Firefox?');
    await tab.find('.their .bubble', 'Yes, and you see this.');
    await tab.click('textarea');
    await tab.write('Good.');
    await tab.find('.own', 'Sent');
    expect(await company.received()).toEqual(['Do you see this in Firefox?', 'Good.']);
    expect(firefox.errors).toEqual([]);
  });
});
