import type { ComponentChildren } from 'preact';
import { useLocation } from 'wouter-preact';
import type { Form } from '../../forms/use-form.js';
import { Banner } from '../../parts/banner.js';
import { FormButtons } from '../../parts/form-buttons.js';
import { Screen } from '../screen.js';

export interface NewEndpointProps<Field extends string> {
  form: Form<Field>;
  title: string;
  intro: string;
  /** Text of the button that creates it. */
  action: string;
  /** The list, to which the way back leads. */
  parent: { href: string; name: string };
  /** The fields. */
  children: ComponentChildren;
}

/** The screen of a new bot or webhook. */
export function NewEndpoint<Field extends string>(props: NewEndpointProps<Field>) {
  const { form, title, intro, action, parent, children } = props;
  const [, navigate] = useLocation();
  return (
    <Screen title={title} intro={intro} parent={parent}>
      <form class="sheet" noValidate onSubmit={form.submit}>
        {children}
        {form.failure && <Banner kind="danger">{form.failure}</Banner>}
        <FormButtons
          action={action}
          isWaiting={form.isSending}
          onCancel={() => {
            form.reset();
            navigate(parent.href);
          }}
        />
      </form>
    </Screen>
  );
}
