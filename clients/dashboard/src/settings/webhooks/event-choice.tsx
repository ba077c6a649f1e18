import { Checks } from '../../parts/checks.js';
import { Choice } from '../../parts/choice.js';
import { RESOURCES, typesOf, type EventResource } from './event-types.js';
import { t } from './texts/index.js';

export interface EventChoiceProps {
  /** Patterns such as `*`, `message.*` and `contact.deleted`. */
  patterns: readonly string[];
  fault?: string | undefined;
  onChange(patterns: string[]): void;
}

/** The events of a webhook: all, or some in groups. Patterns that this page does not know are kept. */
export function EventChoice({ patterns, fault, onChange }: EventChoiceProps) {
  const isAll = patterns.includes('*');
  const options = [
    { value: 'all', name: t('allEvents') },
    { value: 'some', name: t('someEvents') },
  ] as const;
  const unknown = patterns.filter(pattern => pattern !== '*' && !KNOWN.has(pattern));
  const replace = (own: readonly string[], chosen: readonly string[]) =>
    onChange([...patterns.filter(pattern => !own.includes(pattern)), ...chosen]);
  return (
    <div class="field">
      <Choice
        label={t('events')}
        name="events"
        value={isAll ? 'all' : 'some'}
        options={options}
        onChange={chosen => onChange(chosen === 'all' ? ['*'] : [])}
      />
      {fault && <p class="fault">{fault}</p>}
      <p class="hint">{t(isAll ? 'allEventsHint' : 'someEventsHint')}</p>
      {!isAll &&
        RESOURCES.map(resource => (
          <EventGroup
            key={resource}
            resource={resource}
            patterns={patterns}
            onChange={chosen => replace(patternsOf(resource), chosen)}
          />
        ))}
      {!isAll && unknown.length > 0 && (
        <Checks
          label={t('otherEvents')}
          options={unknown.map(value => ({ value, name: value }))}
          chosen={unknown}
          onChange={chosen => replace(unknown, chosen)}
        />
      )}
    </div>
  );
}

const patternsOf = (resource: EventResource): string[] => [`${resource}.*`, ...typesOf(resource)];
const KNOWN: ReadonlySet<string> = new Set(RESOURCES.flatMap(patternsOf));

interface EventGroupProps {
  resource: EventResource;
  patterns: readonly string[];
  onChange(chosen: string[]): void;
}

/** The types of a resource, folded unless some are chosen when the form is opened. */
function EventGroup({ resource, patterns, onChange }: EventGroupProps) {
  const whole = `${resource}.*`;
  const types = typesOf(resource);
  const isWhole = patterns.includes(whole);
  const chosen = isWhole ? [whole] : types.filter(type => patterns.includes(type));
  const options = [
    { value: whole, name: t('wholeGroup'), hint: t('wholeGroupHint', { pattern: whole }) },
    ...(isWhole ? [] : types.map(type => ({ value: type, name: t(type), hint: type }))),
  ];
  return (
    <details class="event-group">
      <summary>
        <span>{t(resource)}</span>{' '}
        <small>
          {isWhole
            ? t('groupWhole')
            : chosen.length > 0
              ? t('groupSome', { chosen: chosen.length, all: types.length })
              : t('groupNone')}
        </small>
      </summary>
      <Checks
        label={t('groupLabel', { group: t(resource) })}
        options={options}
        chosen={chosen}
        onChange={next => onChange(next.includes(whole) ? [whole] : next)}
      />
    </details>
  );
}
