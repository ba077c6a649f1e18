import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

const headersOf = async (path: string) => (await supertest(world.app.url).get(path)).headers as Record<string, string>;

describe('Security headers by kind of path', () => {
  it('A page of another origin may load a file, which nobody may run.', async () => {
    for (const path of ['/files/x/y', '/FILES/x/y']) {
      const headers = await headersOf(path);
      expect(headers['content-security-policy']).toBe("sandbox;default-src 'none'");
      expect(headers['cross-origin-resource-policy']).toBe('cross-origin');
      expect(headers['referrer-policy']).toBe('no-referrer');
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
  });

  it('A page of another origin may load the widget and frame the chat page.', async () => {
    for (const path of ['/widget.js', '/widget/app.css', '/chat']) {
      const headers = await headersOf(path);
      expect(headers['cross-origin-resource-policy']).toBe('cross-origin');
      expect(headers['x-frame-options']).toBeUndefined();
      expect(headers['content-security-policy']).toContain('frame-ancestors *');
    }
  });

  it('Nobody may frame the dashboard.', async () => {
    const headers = await headersOf('/dashboard');
    expect(headers['x-frame-options']).toBe('DENY');
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['cross-origin-resource-policy']).toBe('same-origin');
  });

  it('The API, and paths that only look like another kind, have the strict headers.', async () => {
    for (const path of ['/v1/bots', '/healthz', '/widget.jsx', '/filesystem', '/chats', '/dashboards']) {
      const headers = await headersOf(path);
      expect(headers['cross-origin-resource-policy']).toBe('same-origin');
      expect(headers['x-frame-options']).toBe('SAMEORIGIN');
      expect(headers['content-security-policy']).toContain("default-src 'self'");
    }
  });
});
