import type { UpdateChannelBody } from '@support-chat/sdk';
import { useForm, type Form, type FormOptions } from '../../forms/use-form.js';
import { toasts } from '../../parts/toasts.js';
import { useSession } from '../../session-context.js';
import { COMMON_CODES } from '../errors.js';
import type { ChannelPartProps } from './channel-part.js';
import { t, type TextKey } from './texts/index.js';

export interface ChannelFormOptions<Name extends string> extends ChannelPartProps {
  /** Part of the channel: the name under which unsaved values are kept. */
  part: string;
  initial: Record<Name, string>;
  /** Texts of refused fields. The fields have the names of the API, such as `widget_config.title`. */
  faults: Record<NoInfer<Name>, TextKey>;
  optional?: readonly NoInfer<Name>[];
  /** After the form is saved. Default: the channel is saved. */
  savedText?: TextKey;
  check?: FormOptions<NoInfer<Name>, TextKey>['check'];
  toBody(values: Record<Name, string>): UpdateChannelBody;
}

/** A form for some settings of a channel, which are saved together. */
export function useChannelForm<Name extends string>(options: ChannelFormOptions<Name>): Form<Name> {
  const {
    channel,
    onChange,
    part,
    initial,
    faults,
    optional = [],
    savedText = 'generalSaved',
    check,
    toBody,
  } = options;
  const { agent } = useSession();
  return useForm<Name, TextKey>({
    initial,
    optional,
    ...(check && { check }),
    texts: { fields: faults, codes: COMMON_CODES },
    translate: t,
    draft: `${channel.id}:${part}`,
    send: async values => {
      onChange(await agent.channels.update(channel.id, toBody(values)));
      toasts.show({ kind: 'done', text: t(savedText) });
    },
  });
}
