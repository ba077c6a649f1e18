import { parseColor } from '@support-chat/ui/color.js';
import type { Form } from '../../../forms/use-form.js';
import { FieldFrame } from '../../../parts/field-frame.js';
import { formats, t } from '../texts/index.js';
import { adviceOn, samplesOf } from './color-advice.js';

const formatRatio = (ratio: number) => ratio.toLocaleString(formats().locale, { minimumFractionDigits: 1 });

/** A colour to type or to pick, with a sample of what the chat makes of it. */
export function ColorField<Name extends string>({ form, name }: { form: Form<Name>; name: Name }) {
  const color = form.values[name].trim();
  const isColor = parseColor(color) !== undefined && color.length === 7;
  return (
    <>
      <FieldFrame label={t('color')} hint={t('colorHint')} fault={form.faultOf(name)}>
        {attributes => (
          <div class="color-box">
            <input
              type="color"
              aria-label={t('colorPick')}
              value={isColor ? color : '#000000'}
              onInput={event => form.change(name, event.currentTarget.value)}
            />
            <input
              {...attributes}
              name={name}
              type="text"
              dir="ltr"
              maxLength={7}
              autocomplete="off"
              spellcheck={false}
              value={form.values[name]}
              aria-required
              onInput={event => form.change(name, event.currentTarget.value)}
            />
          </div>
        )}
      </FieldFrame>
      {isColor && (
        <div class="color-advice">
          <ul class="color-samples">
            {samplesOf(color).map(({ key, fill, onFill }) => (
              <li key={key}>
                <span class="sample" aria-hidden="true" style={{ background: fill, color: onFill }}>
                  Aa
                </span>
                {t(key)}
              </li>
            ))}
          </ul>
          <div role="status">
            {adviceOn(color).map(({ key, ratio = 0 }) => (
              <p key={key}>{t(key, { ratio: formatRatio(ratio) })}</p>
            ))}
          </div>
        </div>
      )}
    </>
  );
}
