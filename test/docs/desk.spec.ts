import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { publishedErrors } from '../../src/kernel/domain-error.js';
import { DEMO_AGENT } from '../../src/bin/demo/demo-desk.js';
import { startDemoWorkspace } from '../support/demo-workspace.js';
import { blocksIn, brokenLinks } from '../support/pages.js';
import { runShell } from '../support/shell.js';
import type { World } from '../support/world.js';

const PAGE = 'docs/DESK.md';
const page = readFileSync(PAGE, 'utf8');
const { components } = JSON.parse(readFileSync('docs/generated/openapi.json', 'utf8')) as {
  components: { schemas: Record<string, { properties: object }> };
};
const { schemas } = components;

describe('The page on the desk', () => {
  let world: World;
  beforeAll(async () => {
    world = await startDemoWorkspace();
  });
  afterAll(() => world.stop());

  it('The shell steps of the page on the desk succeed in order and change the settings.', async () => {
    const steps = blocksIn(page, 'sh').map(block => block.replaceAll('localhost:3000', new URL(world.app.url).host));
    expect(steps.length).toBeGreaterThan(5);
    const { code, out } = await runShell(steps.join('\n'));
    expect({ code, out }).toMatchObject({ code: 0 });
    expect(out).not.toMatch(/undefined|"ok":false/);
    const login = await world.anyone.post('/v1/auth/login', DEMO_AGENT);
    const owner = world.as(login.data.token);
    const [channel] = (await owner.get('/v1/channels')).data.items;
    expect(channel).toMatchObject({
      routing: { mode: 'least_loaded', reassign_after_minutes: 10 },
      csat_enabled: true,
      followup_email_minutes: 30,
      reply_email: 'support@shop.example',
      widget_config: { away_message: expect.any(String), pre_chat_form: { enabled: true } },
    });
    expect((await owner.get('/v1/workspace')).data.business_hours.holidays).toHaveLength(2);
    expect((await owner.get('/v1/workspace/members/me')).data.capacity).toBe(5);
  });

  it('The page on the desk mentions published error codes only.', () => {
    const known = new Set(publishedErrors().map(({ code }) => code));
    const named = [...page.matchAll(/\b4\d\d `([a-z_]+)`/g)].map(([, code = '']) => code);
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter(code => !known.has(code))).toEqual([]);
  });

  it.each([
    'UpdateChannelBody',
    'UpdateRoutingBody',
    'UpdateWidgetConfigBody',
    'WidgetFeaturesBody',
    'UpdateWorkspaceBody',
  ])('The page on the desk names every setting of %s.', body => {
    const settings = Object.keys(schemas[body]!.properties);
    expect(settings.length).toBeGreaterThan(1);
    expect(settings.filter(name => !new RegExp(`\\b${name}\\b`).test(page))).toEqual([]);
  });

  it('The page on the desk links to existing files only.', () => {
    expect(brokenLinks(PAGE)).toEqual([]);
  });
});
