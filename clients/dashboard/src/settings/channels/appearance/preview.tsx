import { useEffect, useRef, useState } from 'preact/hooks';
import { useRouter } from 'wouter-preact';
import type { ChannelView, WidgetConfigView, WidgetSettingsView } from '@support-chat/sdk';
import { parseColor } from '@support-chat/ui/color.js';
import { Choice } from '../../../parts/choice.js';
import {
  PREVIEW_READY,
  PREVIEW_SCREENS,
  type PreviewScene,
  type PreviewScreen,
} from '../../../preview/preview-message.js';
import { useSession } from '../../../session-context.js';
import { t, type TextKey } from '../texts/index.js';
import { usePublicConfig } from './use-public-config.js';

/** A pause in typing after which the preview changes. */
const PAUSE_MS = 200;

const SCREEN_NAMES: Record<PreviewScreen, TextKey> = {
  welcome: 'previewWelcome',
  chat: 'previewChat',
  launcher: 'previewLauncher',
};

export interface PreviewProps {
  channel: ChannelView;
  /** Unsaved settings. */
  settings: WidgetSettingsView;
}

/** The widget with unsaved settings, in a frame that makes no requests to the API. */
export function Preview({ channel, settings }: PreviewProps) {
  const { base } = useRouter();
  const { me } = useSession();
  const known = usePublicConfig(channel);
  const frame = useRef<HTMLIFrameElement>(null);
  const [screen, setScreen] = useState<PreviewScreen>('welcome');
  const [isReady, setReady] = useState(false);
  const scene: PreviewScene = {
    config: configOf(channel, settings, known),
    screen,
    agentName: me.member.name,
    question: t('sampleQuestion'),
    answer: t('sampleAnswer'),
  };
  const content = JSON.stringify(scene);
  useEffect(() => {
    const receive = ({ source, data }: MessageEvent) => {
      if (source === frame.current?.contentWindow && data === PREVIEW_READY) setReady(true);
    };
    addEventListener('message', receive);
    return () => removeEventListener('message', receive);
  }, []);
  const wasShown = useRef(false);
  useEffect(() => {
    if (!isReady || known === undefined) return;
    const send = () => {
      wasShown.current = true;
      frame.current?.contentWindow?.postMessage(scene, location.origin);
    };
    const timer = setTimeout(send, wasShown.current ? PAUSE_MS : 0);
    return () => clearTimeout(timer);
  }, [isReady, content, known === undefined]);
  return (
    <section class="widget-preview" aria-label={t('preview')}>
      <Choice
        label={t('previewScreen')}
        name="preview-screen"
        value={screen}
        options={PREVIEW_SCREENS.map(value => ({ value, name: t(SCREEN_NAMES[value]) }))}
        onChange={value => setScreen(value)}
      />
      <div class="widget-frame">
        <iframe ref={frame} title={t('preview')} src={`${base}/preview.html`} />
      </div>
      <p class="hint">{t('previewHint')}</p>
    </section>
  );
}

/** Configuration for visitors: a feature that does not work stays off, and an incomplete colour is the saved one. */
function configOf(
  { csat_enabled: isRated, identity_verification, widget_config: saved }: ChannelView,
  settings: WidgetSettingsView,
  known: WidgetConfigView | null | undefined,
): WidgetConfigView {
  const features = { ...settings.features, csat: isRated };
  for (const name of Object.keys(features) as (keyof typeof features)[]) {
    if (known && saved.features[name] && !known.features[name]) features[name] = false;
  }
  const { primary_color: color, logo_url: logo } = settings.theme;
  const isColor = color.length === 7 && parseColor(color);
  return {
    ...settings,
    theme: {
      ...settings.theme,
      primary_color: isColor ? color : saved.theme.primary_color,
      // the policy of the frame allows no other pictures
      logo_url: logo?.startsWith('https://') ? logo : null,
    },
    features,
    identity_verification,
    availability: known?.availability ?? {
      online: true,
      within_business_hours: true,
      next_open_at: null,
      typical_reply_seconds: null,
    },
    limits: known?.limits ?? { max_message_chars: 20_000, max_attachment_bytes: 1, allowed_mime_types: [] },
  };
}
