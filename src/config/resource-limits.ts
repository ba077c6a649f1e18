/** The published maximum numbers of rows. `RESOURCE_LIMITS` overrides single ones by name: `tags=1000,views=100`. */
export const RESOURCE_LIMITS = {
  /** Per workspace. */
  tags: 500,
  /** A member's own. */
  views: 50,
  /** Per workspace. */
  shared_views: 200,
  /** Per workspace. */
  webhooks: 20,
  /** Per workspace. */
  bots: 100,
} as const satisfies Record<string, number>;

export type ResourceLimits = Readonly<Record<keyof typeof RESOURCE_LIMITS, number>>;

/** @returns the effective limits, or a message that describes the fault */
export function parseResourceLimits(text: string): ResourceLimits | string {
  const limits: Record<string, number> = { ...RESOURCE_LIMITS };
  for (const override of text.split(',').filter(item => item.trim() !== '')) {
    const [, name = '', count = '0'] = /^\s*([a-z_]+)=(\d{1,6})\s*$/.exec(override) ?? [];
    if (!Object.hasOwn(limits, name) || Number(count) === 0) {
      return `"${override.trim()}" is not name=number with a known name and a number from 1`;
    }
    limits[name] = Number(count);
  }
  return limits as ResourceLimits;
}
