import type { WidgetConfigView } from '@support-chat/sdk';

/** Screens of the widget that the preview can show. */
export const PREVIEW_SCREENS = ['welcome', 'chat', 'launcher'] as const;
export type PreviewScreen = (typeof PREVIEW_SCREENS)[number];

/** From the preview to the dashboard: it waits for a scene. */
export const PREVIEW_READY = 'support-chat:preview-ready';

/** From the dashboard to the preview. The texts are those of a sample conversation. */
export interface PreviewScene {
  config: WidgetConfigView;
  screen: PreviewScreen;
  agentName: string;
  question: string;
  answer: string;
}
