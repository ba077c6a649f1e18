import { Injectable } from '@nestjs/common';
import { TeardownHooks } from '../../kernel/teardown-hooks.js';
import type { Member } from './member.js';

/** Hooks that run when a member is deactivated: sessions and tickets end, conversations are unassigned. */
@Injectable()
export class MemberTeardownHooks extends TeardownHooks<Member> {}

/** Hooks that run when a member's channels change: conversations that it no longer sees are unassigned. */
@Injectable()
export class MemberScopeHooks extends TeardownHooks<Member> {}
