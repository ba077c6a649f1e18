import { useDesk } from './desk/desk-context.js';
import { t } from './texts/index.js';

/** Sentences that tell what actions have done, with the way back. They wait while somebody points at them. */
export function ToastList() {
  const { toasts } = useDesk();
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
          <p>{toast.text}</p>
          {toast.action && (
            <button class="link" type="button" onClick={() => toasts.act(toast)}>
              {toast.action}
            </button>
          )}
          <button class="link" type="button" onClick={() => toasts.dismiss(toast.id)}>
            {t('dismiss')}
          </button>
        </div>
      ))}
    </div>
  );
}
