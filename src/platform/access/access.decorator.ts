import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiBearerAuth, ApiExtension, ApiSecurity } from '@nestjs/swagger';
import type { Demands, Permission } from '../../kernel/permission.js';
import { isVisitorPermission } from '../../kernel/permission.js';
import type { CredentialKind } from '../../kernel/principal.js';

export const ACCESS = 'access';

/** What a handler declares about its callers. A handler that declares nothing answers 401 to everyone. */
export type Access =
  | { public: true }
  | {
      public: false;
      permission: Permission;
      kinds: readonly CredentialKind[];
      /** An API key is refused when a browser sends it: a page that holds one has given it away. */
      keyOutsideBrowsers: boolean;
      /** What else it takes. */
      demands: Demands;
    };

function declare(access: Access): MethodDecorator & ClassDecorator {
  return applyDecorators(SetMetadata(ACCESS, access), ApiExtension('x-access', access));
}

/** Anyone may call; a credential that comes along, even a bad one, is not looked at. */
export function Public(): MethodDecorator & ClassDecorator {
  return declare({ public: true });
}

/**
 * Callers that have the permission: visitors for `widget:*`, else agents and API keys, or only one of these kinds;
 * of these, those who also meet the demands.
 */
export function Allow(
  permission: Permission,
  options: { only?: CredentialKind; keyOutsideBrowsers?: boolean } & Demands = {},
): MethodDecorator & ClassDecorator {
  const { only, keyOutsideBrowsers = false, ...demands } = options;
  const kinds: CredentialKind[] = isVisitorPermission(permission) ? ['visitor'] : ['agent', 'api_key'];
  const access: Access = {
    public: false,
    permission,
    kinds: only ? [only] : kinds,
    keyOutsideBrowsers,
    demands,
  };
  return applyDecorators(
    declare(access),
    ...access.kinds.map(kind => (kind === 'agent' ? ApiBearerAuth(kind) : ApiSecurity(kind))),
  );
}
