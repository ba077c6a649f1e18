import { Injectable } from '@nestjs/common';
import { Holdings } from '../../kernel/holdings.js';
import type { Member } from './member.js';

/** What ends with a member's work here: sessions and tickets die, conversations go back to the queue. */
@Injectable()
export class MemberHoldings extends Holdings<Member> {}
