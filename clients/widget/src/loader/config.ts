import type { WidgetConfigView } from '@support-chat/sdk';

const RETRIES_MS = [2_000, 8_000];

/** The channel does not accept this page, or the service refuses the request. */
export class ConfigRefused extends Error {}

/**
 * Reads the channel's public configuration. Makes no contact and stores nothing.
 * @throws ConfigRefused, or the error of the network after three attempts
 */
export async function readConfig(baseUrl: string, widgetToken: string): Promise<WidgetConfigView> {
  const url = `${baseUrl}v1/widget/config?widget_token=${encodeURIComponent(widgetToken)}`;
  for (let attempt = 0; ; attempt += 1) {
    try {
      const response = await fetch(url);
      if (response.ok)
        return ((await response.json()) as { data: { widget_config: WidgetConfigView } }).data.widget_config;
      if (response.status < 500 && response.status !== 429) {
        const { error } = (await response.json()) as { error: { code: string; message: string } };
        throw new ConfigRefused(`${error.code}: ${error.message}`);
      }
      throw new Error(`the service responds with ${response.status}`);
    } catch (error) {
      const wait = RETRIES_MS[attempt];
      if (error instanceof ConfigRefused || wait === undefined) throw error;
      await new Promise(resolve => setTimeout(resolve, wait * (0.5 + Math.random())));
    }
  }
}
