import type { ComponentChildren } from 'preact';
import { Chart } from './chart.js';
import type { ChartShape } from './chart-options.js';
import { Definition } from './definition.js';
import { t } from './texts/index.js';

export interface CardProps {
  question: string;
  definition: string;
  /** The answer, large. */
  figure: string;
  /** Name of the answer, such as "median". */
  unit: string;
  facts: { name: string; value: string }[];
  chart: ChartShape;
  table: { columns: string[]; rows: string[][] };
  children?: ComponentChildren;
}

/** A question, its answer as a number, the trend, and the table behind it. */
export function Card({ question, definition, figure, unit, facts, chart, table, children }: CardProps) {
  return (
    <article class="figure-card">
      <h2>
        {question} <Definition of={question}>{definition}</Definition>
      </h2>
      <p class="answer">
        <strong>{figure}</strong> <span>{unit}</span>
      </p>
      <dl class="facts">
        {facts.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {children}
      <Chart {...chart} name={question} />
      <details>
        <summary>{t('table')}</summary>
        <div class="table-box" role="region" aria-label={t('tableOf', { name: question })} tabIndex={0}>
          <table>
            <thead>
              <tr>
                {table.columns.map(column => (
                  <th key={column} scope="col">
                    {column}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {table.rows.map(([name, ...cells]) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  {cells.map((cell, index) => (
                    <td key={table.columns[index + 1]}>{cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </article>
  );
}
