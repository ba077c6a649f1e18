import type { BootOptions, SupportChat } from './api.js';

export type * from './api.js';

/**
 * Loads the widget of a service and shows its launcher. For pages that are built with a bundler; others include the
 * script. The widget itself always comes from the service, so that it has the service's version.
 * @throws Error if the service cannot be reached
 */
export async function loadWidget(
  options: BootOptions & Required<Pick<BootOptions, 'baseUrl' | 'widgetToken'>>,
): Promise<SupportChat> {
  const url = new URL('widget.js', options.baseUrl.replace(/\/?$/, '/')).href;
  await import(/* webpackIgnore: true */ /* @vite-ignore */ url);
  const widget = window.SupportChat;
  if (!widget) throw new Error(`${url} is not the widget of this service`);
  widget.boot(options);
  return widget;
}
