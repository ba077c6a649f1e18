import { Email, Flag, Id, Ids, Text } from '../../platform/http/fields.js';

const optional = true;
const CHANNELS = 'Narrows the session to these channels of the workspace; all that the member sees when absent.';
/** As large as a body: whatever is no ticket, however long, is refused as every other bad ticket. */
const ANY_LENGTH = 262_144;

export class IssueSsoTicketBody {
  @Email({ description: 'Of an active member of the workspace.' }) email!: string;
  @Ids({ optional, description: CHANNELS }) channel_ids?: string[];
}

export class SsoTicketView {
  @Text({
    max: 4096,
    format: 'uri',
    description: 'Where to send the member within 60 seconds; works once.',
    example: 'https://desk.example.com/dashboard#sso_ticket=sst_4hQ0z8K1vTn2wXc7Yb3Rm9LpJd6Gf5SaEu0iOqWkZxA',
  })
  redirect_url!: string;
}

export class ExchangeSsoTicketBody {
  @Text({
    max: ANY_LENGTH,
    description: 'What stands behind `#sso_ticket=`.',
    example: 'sst_4hQ0z8K1vTn2wXc7Yb3Rm9LpJd6Gf5SaEu0iOqWkZxA',
  })
  ticket!: string;
  @Flag({ optional, description: 'Whether each refresh gives a new refresh token and ends the old one.' })
  rotate?: boolean;
}

export class AgentTokenBody {
  @Email({ optional, description: 'By API key, where it is required: whose session. Ignored of an agent.' })
  email?: string;
  @Id({ optional, description: 'By agent: another of its workspaces; its own when absent. Ignored of an API key.' })
  workspace_id?: string;
  @Ids({ optional, description: CHANNELS }) channel_ids?: string[];
}
