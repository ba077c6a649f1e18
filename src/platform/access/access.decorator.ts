import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension, ApiSecurity } from '@nestjs/swagger';
import type { Demands, Permission } from '../../kernel/permission.js';
import { credentialKindsOf } from '../../kernel/permission.js';
import type { CredentialKind } from '../../kernel/principal.js';

export const ACCESS = 'access';

/** A handler's access rule. A handler without one answers 401 to every caller. */
export type Access =
  | { public: true }
  | {
      public: false;
      permission: Permission;
      kinds: readonly CredentialKind[];
      /** Refuses an API key that a browser sends, because everybody who opens such a page can read the key. */
      keyOutsideBrowsers: boolean;
      /** Further conditions on the principal, besides the permission. */
      demands: Demands;
    };

function declare(access: Access): MethodDecorator & ClassDecorator {
  return applyDecorators(SetMetadata(ACCESS, access), ApiExtension('x-access', access));
}

/** Lets anyone call. Credentials are ignored, even invalid ones. */
export function Public(): MethodDecorator & ClassDecorator {
  return declare({ public: true });
}

/**
 * Lets callers with the permission call who also meet the demands.
 *
 * `only` admits one kind of the credentials that can have the permission. A route for API keys alone is for backends, so
 * it allows no cross-origin call.
 */
export function Allow(
  permission: Permission,
  options: { only?: CredentialKind; keyOutsideBrowsers?: boolean } & Demands = {},
): MethodDecorator & ClassDecorator {
  const { only, keyOutsideBrowsers = false, ...demands } = options;
  const access: Access = {
    public: false,
    permission,
    kinds: only ? [only] : credentialKindsOf(permission),
    keyOutsideBrowsers,
    demands,
  };
  return applyDecorators(declare(access), ...access.kinds.map(kind => ApiSecurity(kind)));
}
