import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../parts/button.js';
import { keyLabel, type Command } from './commands.js';
import { preferences, setPreferences } from '../preferences.js';
import { t } from './texts/index.js';

const GROUPS = ['groupMove', 'groupAct', 'groupWrite', 'groupGo'] as const;

/** All keys, and the choice to have no single ones. */
export function Help({ commands, onClose }: { commands: readonly Command[]; onClose(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog class="help" ref={dialog} aria-labelledby="help-title" onClose={onClose}>
      <h2 id="help-title">{t('keys')}</h2>
      <div class="columns">
        {GROUPS.map(group => (
          <section key={group}>
            <h3>{t(group)}</h3>
            <dl>
              {commands
                .filter(command => command.group === group && command.keys.length > 0)
                .map(({ id, name, keys }) => (
                  <div key={id}>
                    <dt>{t(name)}</dt>
                    <dd>
                      <kbd>{keyLabel(keys[0] ?? '')}</kbd>
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={preferences().singleKeys}
          onChange={event => setPreferences({ singleKeys: event.currentTarget.checked })}
        />
        {t('singleKeys')}
      </label>
      <Button look="quiet" onClick={() => dialog.current?.close()}>
        {t('close')}
      </Button>
    </dialog>
  );
}
