import { t } from '../texts/index.js';

export default function Reports() {
  return <h1>{t('reports')}</h1>;
}
