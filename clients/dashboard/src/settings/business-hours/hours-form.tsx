import type { BusinessHours } from '@support-chat/sdk';
import type { Form } from '../../forms/use-form.js';
import { Banner } from '../../parts/banner.js';
import { SaveBar } from '../screen.js';
import { faultOf } from './hours.js';
import { HoursEditor, type HoursEditorProps } from './hours-editor.js';
import { t } from './texts/index.js';

/** The name of the API. Its value is the JSON of the hours. */
export type HoursField = 'business_hours';

export const hoursOf = (values: Readonly<Record<HoursField, string>>) =>
  JSON.parse(values.business_hours) as BusinessHours | null;

/** Refuses hours that the service would refuse. */
export const checkHours = (values: Readonly<Record<HoursField, string>>) =>
  faultOf(hoursOf(values)) ? { business_hours: 'unexpected' as const } : {};

/** A form of opening hours alone. */
export function HoursForm({ form, nullName }: { form: Form<HoursField> } & Pick<HoursEditorProps, 'nullName'>) {
  const hours = hoursOf(form.values);
  const fault = faultOf(hours);
  const refusal = form.faultOf('business_hours');
  return (
    <form noValidate onSubmit={form.submit}>
      <HoursEditor
        value={hours}
        {...(nullName !== undefined && { nullName })}
        onChange={value => form.change('business_hours', JSON.stringify(value))}
      />
      {refusal && <Banner kind="danger">{fault ? t(fault) : refusal}</Banner>}
      <SaveBar form={form} />
    </form>
  );
}
