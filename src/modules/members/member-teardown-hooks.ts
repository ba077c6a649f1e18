import { Injectable } from '@nestjs/common';
import { TeardownHooks } from '../../kernel/teardown-hooks.js';
import type { Member } from './member.js';

/** What ends with a member's work here: sessions and tickets die, conversations go back to the queue. */
@Injectable()
export class MemberTeardownHooks extends TeardownHooks<Member> {}

/** What a member cannot go on with when its channels have changed: conversations that it sees no longer. */
@Injectable()
export class MemberScopeHooks extends TeardownHooks<Member> {}
