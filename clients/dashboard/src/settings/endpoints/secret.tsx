import { useState } from 'preact/hooks';
import { Button } from '../../parts/button.js';
import { Confirmation } from '../../parts/confirmation.js';
import { Dialog } from '../../parts/dialog.js';
import { SecretField } from '../../parts/secret-field.js';
import { describe } from '../errors.js';
import { Section } from '../screen.js';
import { t } from './texts/index.js';

export interface SecretDialogProps {
  /** The bot or the webhook. */
  name: string;
  secret: string;
  /** The secret replaces another one. */
  isRotated?: boolean;
  onClose(): void;
}

/** A signing secret, which only this dialog knows. */
export function SecretDialog({ name, secret, isRotated = false, onClose }: SecretDialogProps) {
  return (
    <Dialog title={t('secretReady', { name })} onClose={onClose} isSticky>
      <p>{t(isRotated ? 'secretOverlap' : 'secretUse')}</p>
      <SecretField label={t('secret')} value={secret} hint={t('secretHint')} />
      <div class="actions">
        <Button onClick={onClose}>{t('done')}</Button>
      </div>
    </Dialog>
  );
}

export interface SecretSectionProps {
  name: string;
  /** Replaces the secret. @returns the new one */
  rotate(): Promise<string>;
}

/** Replaces the secret that signs requests, and shows the new one once. */
export function SecretSection({ name, rotate }: SecretSectionProps) {
  const [isAsking, setAsking] = useState(false);
  const [secret, setSecret] = useState<string>();
  return (
    <Section title={t('secret')} intro={t('secretIntro')}>
      <div>
        <Button look="quiet" onClick={() => setAsking(true)}>
          {t('rotate')}
        </Button>
      </div>
      {isAsking && (
        <Confirmation
          title={t('rotateTitle', { name })}
          action={t('rotate')}
          look="primary"
          describe={describe}
          onConfirm={async () => setSecret(await rotate())}
          onClose={() => setAsking(false)}
        >
          <p>{t('rotateText')}</p>
        </Confirmation>
      )}
      {secret !== undefined && !isAsking && (
        <SecretDialog name={name} secret={secret} isRotated onClose={() => setSecret(undefined)} />
      )}
    </Section>
  );
}
