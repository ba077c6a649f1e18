import { useState } from 'preact/hooks';
import type { InvitePreviewView } from '@support-chat/sdk';
import { Banner } from '../parts/banner.js';
import { Button } from '../parts/button.js';
import { Field } from '../parts/field.js';
import { t, type TextKey } from '../texts/index.js';
import { EntrancePage } from './entrance-page.js';
import type { Entrance } from './entrance.js';
import { isAboutLink } from './is-about-link.js';
import { useForm } from '../forms/use-form.js';

const ROLES: Record<InvitePreviewView['role'], TextKey> = {
  owner: 'roleOwner',
  admin: 'roleAdmin',
  agent: 'roleAgent',
};

export interface InviteFormProps {
  entrance: Entrance;
  token: string;
  preview: InvitePreviewView;
  /** The invite was used or revoked meanwhile. */
  onInvalid(error: unknown): void;
  onLeave(): void;
}

/**
 * Name and password of an invited person. The service reveals nobody's account, so the person states if there is one:
 * then password managers offer its password instead of a new one.
 */
export function InviteForm({ entrance, token, preview, onInvalid, onLeave }: InviteFormProps) {
  const { email, role, workspace_name: workspace } = preview;
  const [isKnown, setKnown] = useState(false);
  const form = useForm<'name' | 'password'>({
    initial: { name: '', password: '' },
    texts: {
      fields: { name: 'nameInvalid', password: isKnown ? 'passwordMissing' : 'passwordInvalid' },
      codes: {
        invalid_credentials: { field: 'password', key: 'inviteWrongPassword' },
        mailbox_unproved: { key: 'inviteUnproved', values: { email } },
        member_exists: { key: 'inviteMember' },
      },
    },
    send: ({ name, password }) =>
      entrance
        .signIn(agent => agent.registerUser({ invite_token: token, name: name.trim(), password }))
        .catch((error: unknown) => {
          if (!isAboutLink(error)) throw error;
          onInvalid(error);
        }),
  });
  return (
    <EntrancePage
      title={t('inviteTitle', { workspace })}
      intro={t('inviteIntro', { role: t(ROLES[role]), email })}
      footer={
        <button class="link" type="button" onClick={onLeave}>
          {t('notNow')}
        </button>
      }
    >
      {form.failure && <Banner kind="danger">{form.failure}</Banner>}
      <form noValidate onSubmit={form.submit}>
        {/* password managers store the password with this name */}
        <input class="unseen" type="email" autocomplete="username" value={email} readOnly tabIndex={-1} aria-hidden />
        <Field form={form} name="name" label={t('name')} autocomplete="name" hint={t('inviteName')} autofocus />
        <Choice isKnown={isKnown} onChange={setKnown} />
        <Field
          form={form}
          name="password"
          type="password"
          label={t('password')}
          autocomplete={isKnown ? 'current-password' : 'new-password'}
          hint={t(isKnown ? 'inviteKnownHint' : 'passwordHint')}
        />
        <Button type="submit" isWaiting={form.isSending}>
          {t('inviteAccept')}
        </Button>
      </form>
    </EntrancePage>
  );
}

function Choice({ isKnown, onChange }: { isKnown: boolean; onChange: (isKnown: boolean) => void }) {
  return (
    <fieldset class="choice">
      <legend class="unseen">{t('inviteChoice')}</legend>
      {[false, true].map(value => (
        <label key={String(value)}>
          <input type="radio" name="account" checked={isKnown === value} onChange={() => onChange(value)} />
          <span>{t(value ? 'inviteKnown' : 'inviteNew')}</span>
        </label>
      ))}
    </fieldset>
  );
}
