import { useLocation } from 'wouter-preact';
import { ChannelList } from './channel-list.js';
import { ChannelPage } from './channel-page.js';
import './channels.css';

/** The channels, or one of them: `/settings/channels/<id>/<part>`. Every member can read those that it sees. */
export default function Channels() {
  const [path] = useLocation();
  const [, , , id, part = ''] = path.split('/');
  return id ? <ChannelPage key={id} id={id} part={part} /> : <ChannelList />;
}
