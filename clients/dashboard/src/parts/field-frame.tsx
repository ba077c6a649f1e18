import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

/** Attributes of the control within the frame. */
export interface FrameAttributes {
  id: string;
  'aria-invalid': 'true' | undefined;
  'aria-describedby': string | undefined;
}

export interface FieldFrameProps {
  label: string;
  hint?: string | undefined;
  fault?: string | undefined;
  children: (attributes: FrameAttributes) => ComponentChildren;
}

/** Label, hint and fault of any control. */
export function FieldFrame({ label, hint, fault, children }: FieldFrameProps) {
  const id = useId();
  const described = [fault && `${id}-fault`, hint && `${id}-hint`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        'aria-invalid': fault ? 'true' : undefined,
        'aria-describedby': described || undefined,
      })}
      {fault && (
        <p class="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
