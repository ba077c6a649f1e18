import { Controller, Get, Post } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { describe, expect, it } from '@jest/globals';
import { Allow, Public } from '../../src/platform/access/access.decorator.js';
import { backendRoutes } from '../../src/platform/http/backend-routes.js';

@Controller('bots')
class BotsController {
  @Post(':id/rotate-secret')
  @Allow('bots:write', { only: 'api_key' })
  rotate(): void {}

  @Post()
  @Allow('bots:write')
  create(): void {}

  @Get()
  @Public()
  list(): void {}
}

describe('The routes for backends', () => {
  it('A route that accepts API keys alone is for backends, with any value of its parameter', async () => {
    const testing = await Test.createTestingModule({ controllers: [BotsController] }).compile();
    const [route, ...others] = backendRoutes(testing.createNestApplication(), '/v1');
    expect(others).toEqual([]);
    expect(route?.method).toBe('POST');
    for (const path of ['/v1/bots/b1/rotate-secret', '/V1/Bots/b1/Rotate-Secret/']) {
      expect(path).toMatch(route!.pattern);
    }
    for (const path of ['/v1/bots/b1/other/rotate-secret', '/v1/bots//rotate-secret', '/v1/bots/b1/rotate-secret/x']) {
      expect(path).not.toMatch(route!.pattern);
    }
  });
});
