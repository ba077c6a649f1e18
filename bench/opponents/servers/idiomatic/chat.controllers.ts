import { Body, Controller, Get, Param, ParseUUIDPipe, Post, Req, UseGuards } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { IsString, MaxLength, MinLength } from 'class-validator';
import { ChatService } from './chat.service.js';
import type { User } from './jwt.strategy.js';

export class SendMessageDto {
  @IsString()
  @MinLength(1)
  @MaxLength(20_000)
  content!: string;
}

@Controller('v1/conversations/:id/messages')
@UseGuards(AuthGuard('jwt'))
export class ChatController {
  constructor(private readonly chat: ChatService) {}

  @Post()
  async send(
    @Param('id', ParseUUIDPipe) id: string,
    @Body() body: SendMessageDto,
    @Req() request: { user: User },
  ): Promise<object> {
    return { data: await this.chat.send(id, request.user, body.content) };
  }
}

/** Echo routes with only authentication and validation. */
@Controller('v1/echo')
@UseGuards(AuthGuard('jwt'))
export class EchoController {
  @Get()
  read(): object {
    return { data: { content: 'as ever' } };
  }

  @Post()
  write(@Body() { content }: SendMessageDto): object {
    return { data: { content } };
  }
}

@Controller('healthz')
export class HealthController {
  @Get()
  alive(): object {
    return { status: 'ok', instance: process.env.INSTANCE_ID };
  }
}
