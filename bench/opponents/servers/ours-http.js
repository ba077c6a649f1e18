import 'reflect-metadata';
import { Body, Controller, Get, Post } from '@nestjs/common';
import { IsString, MaxLength } from 'class-validator';

/**
 * The built service with one more controller, guarded like its own: `GET /v1/echo` for agents and API keys, `POST` for
 * agents. Calls decorators as functions, so that it needs no compiler.
 */

const built = '../../../dist/';
const load = path => import(`${built}${path}`);
const { Allow } = await load('platform/access/access.decorator.js');
const { HealthModule } = await load('platform/health/health.module.js');

class EchoBody {}
decorate([IsString(), MaxLength(20_000)], EchoBody.prototype, 'content');

class EchoController {
  read() {
    return { content: 'as ever' };
  }

  write({ content }) {
    return { content };
  }
}
decorate([Get(), Allow('channels:read')], EchoController.prototype, 'read');
decorate([Post(), Allow('session:read', { only: 'agent' })], EchoController.prototype, 'write');
Reflect.defineMetadata('design:paramtypes', [EchoBody], EchoController.prototype, 'write');
Body()(EchoController.prototype, 'write', 0);
Controller('echo')(EchoController);

const known = Reflect.getMetadata('controllers', HealthModule);
Reflect.defineMetadata('controllers', [...known, EchoController], HealthModule);
await load('main.js');

function decorate(decorators, target, name) {
  const descriptor = Object.getOwnPropertyDescriptor(target, name);
  for (const decorator of decorators.reverse()) decorator(target, name, descriptor);
  if (descriptor) Object.defineProperty(target, name, descriptor);
}
