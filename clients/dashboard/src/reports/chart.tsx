import { useEffect, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { chartOptions, type ChartShape } from './chart-options.js';
import { t } from './texts/index.js';

export interface ChartProps extends ChartShape {
  /** Name of the chart. Its table has the same figures, for everybody who does not see the chart. */
  name: string;
}

/**
 * A small chart of one or two series. Its script is loaded when the first chart is drawn. It is drawn again in other
 * colours and sizes.
 */
export function Chart({ name, ...shape }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const [pointed, setPointed] = useState<number>();
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    setPointed(undefined);
    return drawWhenLoaded(element, shape, setPointed, () => setFailed(true));
  }, [shape.labels, shape.series]);
  return (
    <figure class="chart">
      <p class="pointed" aria-hidden="true">
        {pointed === undefined ? <Legend {...shape} /> : <Pointed {...shape} index={pointed} />}
      </p>
      <div class="plot" role="img" aria-label={t('chart', { name })} ref={box}>
        <i class="ink first" />
        <i class="ink second" />
        <i class="ink quiet" />
        <i class="ink grid" />
      </div>
      {hasFailed && <p class="hint">{t('chartFailed')}</p>}
    </figure>
  );
}

/** @returns a function that removes the chart */
function drawWhenLoaded(
  element: HTMLElement,
  shape: ChartShape,
  onPoint: (index: number | undefined) => void,
  onFailure: () => void,
): () => void {
  let chart: uPlot | undefined;
  let isGone = false;
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  const draw = (Plot: typeof uPlot) => {
    if (isGone) return;
    chart?.destroy();
    const options = chartOptions(element, shape, onPoint);
    const positions = shape.labels.map((_label, index) => index);
    chart = new Plot(options, [positions, ...shape.series.map(({ values }) => values)], element);
  };
  const sizes = new ResizeObserver(() => {
    chart?.setSize({ width: element.clientWidth, height: element.clientHeight });
  });
  let redraw: (() => void) | undefined;
  import('uplot').then(({ default: Plot }) => {
    redraw = () => draw(Plot);
    redraw();
    if (isGone) return;
    sizes.observe(element);
    scheme.addEventListener('change', redraw);
  }, onFailure);
  return () => {
    isGone = true;
    sizes.disconnect();
    if (redraw) scheme.removeEventListener('change', redraw);
    chart?.destroy();
  };
}

/** Names of the series, if there are several. */
function Legend({ series }: ChartShape) {
  if (series.length < 2) return <>&nbsp;</>;
  return (
    <>
      {series.map(({ name }, index) => (
        <span key={name} class={index === 0 ? 'key first' : 'key second'}>
          {name}
        </span>
      ))}
    </>
  );
}

/** The bucket below the pointer. */
function Pointed({ labels, series, format, index }: ChartShape & { index: number }) {
  return (
    <>
      <strong>{labels[index]}</strong>
      {series.map(({ name, values }, order) => (
        <span key={name} class={series.length < 2 ? '' : order === 0 ? 'key first' : 'key second'}>
          {format(values[index] ?? null)}
        </span>
      ))}
    </>
  );
}
