import { Global } from '@nestjs/common';

@Global()
export class Clock {}
