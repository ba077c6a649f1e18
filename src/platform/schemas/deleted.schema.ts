import { ApiProperty } from '@nestjs/swagger';
import { Id } from '../schemas/fields.js';

/** The response of every deletion. */
export class DeletedView {
  @Id() id!: string;
  @ApiProperty({ type: Boolean, enum: [true] }) deleted!: true;
}

/** The response of every revocation. */
export class RevokedView {
  @Id() id!: string;
  @ApiProperty({ type: Boolean, enum: [true] }) revoked!: true;
}
