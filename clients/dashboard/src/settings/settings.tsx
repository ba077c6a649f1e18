import { t } from '../texts/index.js';

export default function Settings() {
  return <h1>{t('settings')}</h1>;
}
