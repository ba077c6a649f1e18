import { ApiProperty } from '@nestjs/swagger';

export class Bot {
  @ApiProperty()
  name!: string;
}
