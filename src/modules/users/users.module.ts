import { Module } from '@nestjs/common';
import { PasswordHashingService } from './password-hashing.service.js';
import { UserEntity } from './user.entity.js';
import { UsersRepository } from './users.repository.js';
import { UsersService } from './users.service.js';

@Module({ providers: [UsersRepository, UsersService, PasswordHashingService], exports: [UsersService] })
export class UsersModule {
  static readonly entities = [UserEntity];
}
