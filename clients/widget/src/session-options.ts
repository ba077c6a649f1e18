import { readBrowserPage, type VisitedPage, type VisitorOptions } from '@support-chat/sdk';
import type { Attributes, BootOptions } from './api.js';
import type { SafeStorage } from './loader/storage.js';
import type { VisitorStorage } from './state/visitor-storage.js';

export interface ConnectionOptions {
  baseUrl: string;
  widgetToken: string;
  identity: BootOptions;
  locale: string;
  storage: VisitorStorage;
  /** The SDK stores the id of the device. */
  deviceStorage: SafeStorage;
}

/** @param page returns the page that the site has named, if any */
export function sessionOptions(
  { baseUrl, widgetToken, identity, locale, storage, deviceStorage }: ConnectionOptions,
  attributes: Attributes,
  page: () => { url: string; title: string } | undefined,
): VisitorOptions {
  const { externalId, identityToken, name, email, phone } = identity;
  return {
    baseUrl,
    widgetToken,
    externalId,
    identityToken,
    name,
    email,
    phone,
    locale,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    customAttributes: Object.keys(attributes).length ? attributes : undefined,
    storage: { getItem: deviceStorage.get, setItem: deviceStorage.set },
    onSession: session => storage.storeSession(session),
    readSession: () => storage.session,
    page: () => ({ ...readBrowserPage(), ...page() }) as VisitedPage,
  };
}
