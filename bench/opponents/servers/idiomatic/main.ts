import 'reflect-metadata';
import { ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { WsAdapter } from '@nestjs/platform-ws';
import { IdiomaticModule } from './idiomatic.module.js';

const app = await NestFactory.create(IdiomaticModule, { logger: ['error', 'warn'] });
app.useGlobalPipes(new ValidationPipe({ whitelist: true, transform: true }));
app.useWebSocketAdapter(new WsAdapter(app));
app.enableShutdownHooks();
await app.listen(Number(process.env.PORT), '127.0.0.1');
