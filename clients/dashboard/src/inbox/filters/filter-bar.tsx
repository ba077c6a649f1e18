import { CLOSE, icon } from '@support-chat/ui/icons.jsx';
import type { Signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { useDesk } from '../../desk/desk-context.js';
import { Picker } from '../../parts/picker.js';
import { keyLabel } from '../commands.js';
import { nameOfValue, OFFERED, SWITCHES, useFilterOptions } from './filter-options.js';
import { ALL_FILTERS, type FilterMenu } from './filter-menu.js';
import { FILTER_NAMES, takesSeveral, toggled, type FilterName, type FilterValues } from './filter-values.js';
import { SaveView } from './save-view.js';
import { t } from './texts/index.js';

const FUNNEL = 'M4 6h16M7 12h10M10 18h4';

export interface FiltersProps {
  /** The filters of the list on the screen, which a change begins with. */
  values: FilterValues;
  menu: Signal<FilterMenu | undefined>;
  onChange(values: FilterValues): void;
}

/** The button that opens the menu of filters, with that menu. */
export function FilterButton(props: FiltersProps) {
  const { menu } = props;
  const open = menu.value;
  return (
    <>
      <button
        id={ALL_FILTERS.anchorId}
        class="icon-button"
        type="button"
        title={`${t('filter')} (${keyLabel('f')})`}
        aria-haspopup="listbox"
        aria-expanded={open !== undefined}
        onClick={() => (menu.value = ALL_FILTERS)}
      >
        <span class="unseen">{t('filter')}</span>
        {icon(FUNNEL)}
      </button>
      {open?.name === 'all' && <AllFilters {...props} open={open} />}
      {open && open.name !== 'all' && <ValueMenu key={open.name} {...props} open={open} name={open.name} />}
    </>
  );
}

interface OpenMenuProps extends FiltersProps {
  open: FilterMenu;
}

function AllFilters({ values, menu, open, onChange }: OpenMenuProps) {
  const pick = (name: FilterName) => {
    if (SWITCHES.includes(name)) onChange(toggled(values, name, 'me'));
    else menu.value = { name, anchorId: ALL_FILTERS.anchorId };
  };
  return (
    <Picker
      label={t('filter')}
      anchor={document.getElementById(open.anchorId) ?? undefined}
      options={OFFERED.map(name => ({ id: name, name: t(name), isChosen: (values[name]?.length ?? 0) > 0 }))}
      nothing={t('nothingFound')}
      onPick={name => pick(name as FilterName)}
      onClose={() => {
        if (menu.peek() === open) menu.value = undefined;
      }}
    />
  );
}

function ValueMenu({ values, menu, open, name, onChange }: OpenMenuProps & { name: FilterName }) {
  const options = useFilterOptions(name, values[name] ?? []);
  const isText = name === 'query';
  return (
    <Picker
      label={t(name)}
      anchor={document.getElementById(open.anchorId) ?? undefined}
      isMultiple={takesSeveral(name)}
      options={options}
      nothing={t(isText ? 'typeText' : 'nothingFound')}
      create={isText ? text => ({ id: text, name: t('containing', { text }) }) : undefined}
      onPick={value => onChange(toggled(values, name, value))}
      onClose={() => {
        if (menu.peek() === open) menu.value = undefined;
      }}
    />
  );
}

/** The filters of the list, each of which can be changed and removed. */
export function FilterChips({ values, menu, onChange, onClear }: FiltersProps & { onClear(): void }) {
  const desk = useDesk();
  const [isSaving, setSaving] = useState(false);
  const names = FILTER_NAMES.filter(name => (values[name]?.length ?? 0) > 0);
  return (
    <div class="filters" role="group" aria-label={t('filters')}>
      {names.map(name => {
        const shown = (values[name] ?? []).map(value => nameOfValue(name, value, desk)).join(', ');
        const id = `filter-${name}`;
        return (
          <span key={name} class="chip">
            {SWITCHES.includes(name) || name === 'contact_id' ? (
              <span class="name">{name === 'contact_id' ? t('chip', { name: t(name), values: shown }) : t(name)}</span>
            ) : (
              <button
                id={id}
                class="name"
                type="button"
                aria-haspopup="listbox"
                onClick={() => (menu.value = { name, anchorId: id })}
              >
                {t('chip', { name: t(name), values: shown })}
              </button>
            )}
            <button class="remove" type="button" onClick={() => onChange({ ...values, [name]: [] })}>
              <span class="unseen">{t('remove', { name: t(name) })}</span>
              {icon(CLOSE)}
            </button>
          </span>
        );
      })}
      <span class="ends">
        {names.length > 0 && (
          <button class="link" type="button" onClick={() => setSaving(true)}>
            {t('saveView')}
          </button>
        )}
        <button class="link" type="button" onClick={onClear}>
          {t('clear')}
        </button>
      </span>
      {isSaving && <SaveView values={values} onClose={() => setSaving(false)} />}
    </div>
  );
}
