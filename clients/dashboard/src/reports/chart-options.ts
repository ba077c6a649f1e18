import type uPlot from 'uplot';
import { formats } from './texts/index.js';

export interface ChartSeries {
  name: string;
  /** One for each label; null is a gap. */
  values: (number | null)[];
}

export interface ChartShape {
  look: 'bars' | 'line';
  /** Full names of the buckets. */
  labels: string[];
  /** Short names of the buckets, for the axis. */
  axis: string[];
  series: ChartSeries[];
  format: (value: number | null) => string;
  /** Values between which the marks of the axis may differ; the multiples that people expect of the unit. */
  steps?: number[] | undefined;
  /** Lowest and highest value of the axis. Default: 0 to the highest value. */
  limits?: [number, number] | undefined;
}

const LABEL_WIDTH = 76;
const MARK_HEIGHT = 30;
const AXIS_WIDTH = 56;
const AXIS_HEIGHT = 26;

/** Options of a chart whose horizontal axis has one position for each bucket. */
export function chartOptions(
  element: HTMLElement,
  shape: ChartShape,
  onPoint: (index: number | undefined) => void,
): uPlot.Options {
  const ink = (name: string) => getComputedStyle(element.querySelector(`.ink.${name}`) ?? element).color;
  const colors = [ink('first'), ink('second')];
  const isMirrored = formats().direction === 'rtl';
  return {
    width: element.clientWidth,
    height: element.clientHeight,
    padding: [8, 8, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    scales: {
      x: { time: false, dir: isMirrored ? -1 : 1, range: (_plot, min, max) => [min - 0.5, max + 0.5] },
      y: { range: (_plot, _min, max) => shape.limits ?? [0, max > 0 ? max * 1.05 : 1] },
    },
    axes: axesOf(shape, ink('quiet'), ink('grid'), isMirrored),
    series: [{}, ...shape.series.map((series, index) => seriesOf(shape, series, colors[index] ?? ink('quiet'), index))],
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)] },
  };
}

function axesOf(shape: ChartShape, stroke: string, grid: string, isMirrored: boolean): uPlot.Axis[] {
  const { axis, format, steps, labels } = shape;
  const font = `12px ${getComputedStyle(document.body).fontFamily}`;
  return [
    {
      stroke,
      font,
      size: AXIS_HEIGHT,
      gap: 6,
      grid: { show: false },
      ticks: { show: false },
      splits: plot => positions(labels.length, plot.width / LABEL_WIDTH),
      values: (_plot, splits) => splits.map(index => axis[index] ?? ''),
    },
    {
      stroke,
      font,
      side: isMirrored ? 1 : 3,
      size: AXIS_WIDTH,
      gap: 6,
      space: MARK_HEIGHT,
      ...(steps && { incrs: steps }),
      grid: { stroke: grid, width: 1 },
      ticks: { show: false },
      values: (_plot, splits) => splits.map(value => format(value)),
    },
  ];
}

function seriesOf({ look, labels }: ChartShape, { name, values }: ChartSeries, color: string, index: number) {
  const series: uPlot.Series = {
    label: name,
    stroke: color,
    width: 2,
    spanGaps: false,
    // a value between two gaps has no line
    points: { show: look === 'line' && (labels.length <= 31 || hasLonely(values)), size: 5, fill: color, width: 0 },
  };
  if (look === 'line' || index > 0) return series;
  return {
    ...series,
    width: 0,
    fill: color,
    points: { show: false },
    paths: barPaths(),
  } satisfies uPlot.Series;
}

/** Bars as wide as two thirds of a position, at most 28 px. */
function barPaths(): uPlot.Series.PathBuilder {
  return (plot, seriesIndex, first, last) => {
    const fill = new Path2D();
    const zero = plot.valToPos(0, 'y', true);
    const step = Math.abs(plot.valToPos(1, 'x', true) - plot.valToPos(0, 'x', true));
    const width = Math.max(1, Math.min(step * 0.66, 28 * devicePixelRatio));
    for (let index = first; index <= last; index++) {
      const value = plot.data[seriesIndex]?.[index];
      if (!value) continue;
      const top = plot.valToPos(value, 'y', true);
      fill.rect(plot.valToPos(index, 'x', true) - width / 2, top, width, zero - top);
    }
    return { fill };
  };
}

function hasLonely(values: readonly (number | null)[]): boolean {
  return values.some((value, index) => value !== null && (values[index - 1] ?? values[index + 1] ?? null) === null);
}

/** @returns evenly spaced positions, at most so many */
function positions(count: number, most: number): number[] {
  const step = Math.max(1, Math.ceil(count / Math.max(1, Math.floor(most))));
  return Array.from({ length: Math.ceil(count / step) }, (_position, index) => index * step);
}
