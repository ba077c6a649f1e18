import { Link } from 'wouter-preact';
import { useDesk } from '../desk/desk-context.js';
import { BUILT_IN_VIEWS } from './inbox-views.js';
import { t } from './texts/index.js';

/** Counts of the service stop here. */
const MAX_COUNT = 100;

/** The views of the inbox, with their numbers. */
export function ViewsRail({ active }: { active: string | undefined }) {
  const { counts, directory } = useDesk();
  const numbers = counts.ofInbox.value;
  const saved = directory.views.value;
  const own = saved.filter(({ shared }) => !shared);
  const shared = saved.filter(each => each.shared);
  return (
    <nav class="views" aria-label={t('views')}>
      <ul>
        {BUILT_IN_VIEWS.map(({ path, name, count }) => (
          <ViewLink
            key={path}
            path={path}
            name={t(name)}
            count={count && numbers?.[count]}
            isActive={path === active}
          />
        ))}
      </ul>
      {[
        { title: t('ownViews'), views: own },
        { title: t('sharedViews'), views: shared },
      ].map(
        ({ title, views }) =>
          views.length > 0 && (
            <section key={title}>
              <h2>{title}</h2>
              <ul>
                {views.map(({ id, name }) => (
                  <ViewLink
                    key={id}
                    path={id}
                    name={name}
                    count={counts.ofViews.value.get(id)}
                    isActive={id === active}
                  />
                ))}
              </ul>
            </section>
          ),
      )}
    </nav>
  );
}

interface ViewLinkProps {
  path: string;
  name: string;
  count: number | undefined;
  isActive: boolean;
}

function ViewLink({ path, name, count, isActive }: ViewLinkProps) {
  return (
    <li>
      <Link href={`/inbox/${path}`} aria-current={isActive ? 'page' : undefined}>
        <span class="name" dir="auto">
          {name}
        </span>
        {count !== undefined && count > 0 && <span class="number">{count >= MAX_COUNT ? '99+' : count}</span>}
      </Link>
    </li>
  );
}
