import { brandColors } from '@support-chat/ui/theme.js';
import type { Theme } from './api.js';
import type { Shell } from './seam.js';

/** Keeps the colours of the panel: those of the brand, light or dark. */
export function watchTheme({ panel, config, options }: Shell): { set(mode: Theme): void; stop(): void } {
  const system = matchMedia('(prefers-color-scheme: dark)');
  let mode: Theme = options.theme ?? config.theme.mode;
  const apply = (): void => {
    const isDark = mode === 'auto' ? system.matches : mode === 'dark';
    panel.classList.toggle('dark', isDark);
    const { fill, onFill, control, text } = brandColors(config.theme.primary_color, isDark);
    const colors = { '--fill': fill, '--on-fill': onFill, '--control': control, '--link': text };
    for (const [name, color] of Object.entries(colors)) panel.style.setProperty(name, color);
  };
  system.addEventListener('change', apply);
  apply();
  return {
    set(next) {
      mode = next;
      apply();
    },
    stop: () => system.removeEventListener('change', apply),
  };
}
