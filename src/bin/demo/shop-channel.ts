import type { AgentClient } from '@support-chat/sdk';

/** Name of the channel of the demo's shop page. The dialogues are played in another one. */
export const SHOP_CHANNEL = 'Shop page';

const SETTINGS = {
  routing: { mode: 'round_robin' as const },
  csat_enabled: true,
  widget_config: {
    title: 'Harbour & Pine',
    greeting: 'Hello! Ask us anything: a parcel, a size, a voucher.',
    theme: { primary_color: '#0b6e4f' },
    features: { end_chat: true },
  },
};

/** Returns the channel of the shop page. The first run creates it. */
export async function openShopChannel(owner: AgentClient) {
  const { items } = await owner.channels.list();
  const known = items.find(({ name }) => name === SHOP_CHANNEL);
  return known ? owner.channels.update(known.id, SETTINGS) : owner.channels.create({ name: SHOP_CHANNEL, ...SETTINGS });
}
