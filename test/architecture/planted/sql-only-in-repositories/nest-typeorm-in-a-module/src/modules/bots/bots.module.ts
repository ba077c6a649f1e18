import { TypeOrmModule } from '@nestjs/typeorm';

export const bots = TypeOrmModule;
