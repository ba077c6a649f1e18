import { CanActivate, Injectable } from '@nestjs/common';
import { UsersService } from './users.service.js';

/**
 * At the doors that hash a password. While too many wait, whoever comes is sent away before its body is validated and
 * the database is asked, whether or not there is such a user: of a flood nearly all are refused, so what a refusal
 * costs is what the flood costs those who are talking.
 */
@Injectable()
export class RoomToHash implements CanActivate {
  constructor(private readonly users: UsersService) {}

  /** @throws RateLimited */
  canActivate(): boolean {
    this.users.assertRoomToHash();
    return true;
  }
}
