import type { WidgetConfigView } from '@support-chat/sdk';
import { retry } from './retry.js';

type Response =
  { data: { widget_config: WidgetConfigView }; error?: undefined } | { error: { code: string; message: string } };

/**
 * Reads the channel's public configuration. Makes no contact and stores nothing.
 * @throws Error if the channel does not accept this page, or after three attempts
 */
export function readConfig(baseUrl: string, widgetToken: string): Promise<WidgetConfigView> {
  const url = `${baseUrl}v1/widget/config?widget_token=${encodeURIComponent(widgetToken)}`;
  return retry(async () => {
    const response = await fetch(url);
    const body = (await response.json()) as Response;
    if (!body.error) return body.data.widget_config;
    const { status } = response;
    const error = new Error(`${body.error.code}: ${body.error.message}`);
    throw Object.assign(error, { isFinal: status < 500 && status !== 429 });
  }, [3_000, 10_000]);
}
