import type { ViewView } from '@support-chat/sdk';
import { Button } from '../../parts/button.js';
import { Empty } from '../../parts/empty.js';
import { Row } from '../../parts/row.js';
import { Section } from '../screen.js';
import { t } from './texts/index.js';

export type ViewAction = 'rename' | 'share' | 'unshare' | 'delete';

export interface ViewListProps {
  isShared: boolean;
  views: readonly ViewView[];
  canChange: boolean;
  canShare: boolean;
  /** @param order all views of this list */
  onArrange(order: ViewView[]): void;
  onAction(action: ViewAction, view: ViewView): void;
}

/** The shared views, or the member's own, in their order. */
export function ViewList({ isShared, views, canChange, canShare, onArrange, onAction }: ViewListProps) {
  const title = t(isShared ? 'sharedViews' : 'ownViews');
  const order = [...views].sort((one, other) => one.position - other.position);
  const move = (index: number, step: number) => {
    const changed = [...order];
    const [moved] = changed.splice(index, 1);
    if (moved) changed.splice(index + step, 0, moved);
    onArrange(changed);
  };
  const actions: ViewAction[] = ['rename', ...(canShare ? ([isShared ? 'unshare' : 'share'] as const) : []), 'delete'];
  return (
    <Section title={title}>
      {order.length === 0 ? (
        <Empty title={t(isShared ? 'noShared' : 'noOwn')} text={t(isShared ? 'noSharedText' : 'noOwnText')} />
      ) : (
        <ul class="rows" aria-label={title}>
          {order.map((view, index) => (
            <Row key={view.id} title={view.name}>
              {canChange && (
                <>
                  {index > 0 && <Action action="moveUp" view={view} onClick={() => move(index, -1)} />}
                  {index < order.length - 1 && <Action action="moveDown" view={view} onClick={() => move(index, 1)} />}
                  {actions.map(action => (
                    <Action key={action} action={action} view={view} onClick={() => onAction(action, view)} />
                  ))}
                </>
              )}
            </Row>
          ))}
        </ul>
      )}
    </Section>
  );
}

interface ActionProps {
  action: ViewAction | 'moveUp' | 'moveDown';
  view: ViewView;
  onClick(): void;
}

function Action({ action, view, onClick }: ActionProps) {
  return (
    <Button look="quiet" isSmall name={t('of', { action: t(action), name: view.name })} onClick={onClick}>
      {t(action)}
    </Button>
  );
}
