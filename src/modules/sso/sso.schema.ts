import { Email, Flag, Id, Ids, Text } from '../../platform/schemas/fields.js';

const optional = true;
const CHANNELS = 'Limit the session to these channels of the workspace. Defaults to all that the member sees.';
/** As large as the largest body, so that any text that is not a ticket is refused like an invalid ticket. */
const ANY_LENGTH = 262_144;

export class IssueSsoTicketBody {
  @Email({ description: 'E-mail of an active member of the workspace.' }) email!: string;
  @Ids({ optional, description: CHANNELS }) channel_ids?: string[];
}

export class SsoTicketView {
  @Text({
    max: 4096,
    format: 'uri',
    description: 'Redirect the member to this URL within 60 seconds. Works once.',
    example: 'https://desk.example.com/dashboard#sso_ticket=sst_4hQ0z8K1vTn2wXc7Yb3Rm9LpJd6Gf5SaEu0iOqWkZxA',
  })
  redirect_url!: string;
}

export class ExchangeSsoTicketBody {
  @Text({
    max: ANY_LENGTH,
    description: 'The value after `#sso_ticket=`.',
    example: 'sst_4hQ0z8K1vTn2wXc7Yb3Rm9LpJd6Gf5SaEu0iOqWkZxA',
  })
  ticket!: string;
  @Flag({ optional, description: 'Whether each refresh returns a new refresh token and revokes the old one.' })
  rotate?: boolean;
}

export class AgentTokenBody {
  @Email({ optional, description: 'E-mail of the member. Required with an API key, ignored with an access token.' })
  email?: string;
  @Id({
    optional,
    description: 'Workspace to enter with an access token. Defaults to the current one. Ignored with an API key.',
  })
  workspace_id?: string;
  @Ids({ optional, description: CHANNELS }) channel_ids?: string[];
}
