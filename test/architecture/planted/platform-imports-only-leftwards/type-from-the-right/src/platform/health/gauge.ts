export interface Gauge {
  value: number;
}
