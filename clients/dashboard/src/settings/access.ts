import type { MeView, Role } from '@support-chat/sdk';

/** Rights of the session. A session of some channels has the rights of an agent, whatever its role. */
export interface Access {
  readonly role: Role;
  readonly isAdmin: boolean;
}

export function accessOf({ acting_role: role, scope }: MeView): Access {
  const isWhole = scope.type === 'all';
  return { role: isWhole ? role : 'agent', isAdmin: isWhole && role !== 'agent' };
}

/** Roles that the session may grant and change: its own, and those below. */
export function rolesUpTo(role: Role): Role[] {
  const all: Role[] = ['agent', 'admin', 'owner'];
  return all.slice(0, all.indexOf(role) + 1);
}
