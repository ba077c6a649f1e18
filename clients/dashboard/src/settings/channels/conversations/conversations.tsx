import type { ChannelPartProps } from '../channel-part.js';
import { Away } from './away.js';
import { ChannelHours } from './channel-hours.js';
import { Ending } from './ending.js';
import { Files } from './files.js';
import { Mail } from './mail.js';
import { PreChat } from './pre-chat.js';
import { RoutingRules } from './routing-rules.js';

/** Rules for the conversations of a channel, each with a form of its own. */
export function Conversations(props: ChannelPartProps) {
  return (
    <>
      <RoutingRules {...props} />
      <ChannelHours {...props} />
      <Away {...props} />
      <PreChat {...props} />
      <Ending {...props} />
      <Mail {...props} />
      <Files {...props} />
    </>
  );
}
