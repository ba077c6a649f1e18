import { toasts } from '../parts/toasts.js';
import { describe } from './errors.js';
import { t } from './texts/index.js';

export interface SaveNowOptions {
  /** Shows the new value before the service answers. */
  show(): void;
  save(): Promise<unknown>;
  /** Shows the former value. */
  showFormer(): void;
  saveFormer(): Promise<unknown>;
  /** A sentence about the change. */
  text?: string;
}

/** Saves a harmless change at once, and offers to undo it. A failure is shown, with the former value. */
export async function saveNow(options: SaveNowOptions): Promise<void> {
  const { show, save, showFormer, saveFormer, text = t('saved') } = options;
  show();
  try {
    await save();
  } catch (error) {
    showFormer();
    toasts.show({ kind: 'failed', text: describe(error) });
    return;
  }
  toasts.show({
    kind: 'done',
    text,
    action: t('undo'),
    isUndo: true,
    act: () => {
      showFormer();
      saveFormer().catch((error: unknown) => {
        show();
        toasts.show({ kind: 'failed', text: describe(error) });
      });
    },
  });
}
