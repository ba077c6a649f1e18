import Bowser from 'bowser';
import type { ConversationContext } from './conversation.js';

/** Longer than the User-Agent of any browser. The parser's time grows with the length. */
const MAX_INPUT_CHARS = 512;
const MAX_NAME_CHARS = 100;

/** Returns names to show, such as `Firefox 128`; null for what the User-Agent does not tell. */
export function describeUserAgent(
  userAgent: string | undefined,
): Pick<ConversationContext, 'browser' | 'os' | 'device'> {
  if (!userAgent) return { browser: null, os: null, device: null };
  const { browser, os, platform } = Bowser.parse(userAgent.slice(0, MAX_INPUT_CHARS));
  return {
    browser: nameOf(browser.name, browser.version?.split('.')[0]),
    // Windows has an internal version besides its name: NT 10.0 is Windows 10
    os: nameOf(os.name, os.version && /^\d/.test(os.version) ? os.version : os.versionName),
    device: platform.type?.slice(0, MAX_NAME_CHARS) || null,
  };
}

function nameOf(name = '', version = ''): string | null {
  return name === '' ? null : `${name} ${version}`.trim().slice(0, MAX_NAME_CHARS);
}
