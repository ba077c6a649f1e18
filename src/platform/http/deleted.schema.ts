import { ApiProperty } from '@nestjs/swagger';
import { Id } from './fields.js';

/** What every deletion answers. */
export class DeletedView {
  @Id() id!: string;
  @ApiProperty({ type: Boolean, enum: [true] }) deleted!: true;
}

/** What every revocation answers. */
export class RevokedView {
  @Id() id!: string;
  @ApiProperty({ type: Boolean, enum: [true] }) revoked!: true;
}
