import { WebSocketGateway } from '@nestjs/websockets';

export const gateway = WebSocketGateway;
