// first, so that no other code sees a secret in the address
import { initialLink } from './entrance/initial-link.js';
import { render } from 'preact';
import { PageTokenStore } from '@support-chat/sdk';
import { App } from './app.js';
import { Entrance } from './entrance/entrance.js';
import { takeSecretLink } from './entrance/secret-link.js';
import './styles/index.css';
import { startPreferences } from './preferences.js';
import { SnapshotStorage } from './snapshot/snapshot-storage.js';
import { loadLanguage } from './texts/index.js';

/** This file is in a folder of the dashboard's path, which is below that of the service. */
const TO_SERVICE = '../../';
const service = new URL(TO_SERVICE, import.meta.url);
const base = new URL('dashboard', service).pathname;
const root = document.getElementById('app');
if (!root) throw new Error('the page has no element for the dashboard');

/** Dashboards of several services on one origin have different paths. */
const path = service.pathname.replace(/\/$/, '');
const store = new PageTokenStore(`support-chat:agent${path}`);
// the address of this file names the release, because it contains a hash
const snapshots = new SnapshotStorage(`support-chat:dashboard${path}`, import.meta.url);
const entrance = new Entrance({ baseUrl: service.href.replace(/\/$/, ''), store, snapshots });

// a link that is opened in this tab changes only the fragment, and loads no new page
window.addEventListener('hashchange', () => {
  const link = takeSecretLink(window);
  if (link) void entrance.open(link);
});

startPreferences();
await loadLanguage(navigator.languages);
render(<App entrance={entrance} base={base} />, root);
await entrance.open(initialLink);
