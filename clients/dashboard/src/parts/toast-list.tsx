import { t } from '../texts/index.js';
import { toasts } from './toasts.js';

/** Shows the toasts at the edge of the screen. They wait while somebody points at them or focuses them. */
export function ToastList() {
  return (
    <div
      class="toasts"
      role="status"
      onPointerEnter={() => toasts.pause()}
      onPointerLeave={() => toasts.resume()}
      onFocusIn={() => toasts.pause()}
      onFocusOut={() => toasts.resume()}
    >
      {toasts.shown.value.map(toast => (
        <div key={toast.id} class={`toast ${toast.kind}`}>
          <span>{toast.text}</span>
          {toast.action && (
            <button class="link" type="button" onClick={() => toasts.act(toast)}>
              {toast.action}
            </button>
          )}
          <button class="dismiss" type="button" aria-label={t('dismiss')} onClick={() => toasts.dismiss(toast.id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
