import { useRouter } from 'wouter-preact';
import type { ChannelView, WidgetConfigView } from '@support-chat/sdk';
import { useLoaded } from '../../../parts/use-loaded.js';

/**
 * Returns what visitors get at present: who is there, limits, and features that work. It makes no contact. Null for a
 * channel that is off; undefined until it is known.
 */
export function usePublicConfig({ status, widget_token: token }: ChannelView): WidgetConfigView | null | undefined {
  const { base } = useRouter();
  const { value } = useLoaded(async () => {
    if (status !== 'active') return null;
    try {
      const response = await fetch(`${serviceUrl(base)}/v1/widget/config?widget_token=${encodeURIComponent(token)}`);
      const { data } = (await response.json()) as { data?: { widget_config: WidgetConfigView } };
      return data?.widget_config ?? null;
    } catch {
      return null;
    }
  });
  return value;
}

/** @param base path of the dashboard @returns the address of the service, without a slash at the end */
export function serviceUrl(base: string): string {
  return location.origin + base.replace(/\/dashboard$/, '');
}
