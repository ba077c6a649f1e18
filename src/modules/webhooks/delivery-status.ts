/**
 * SQL: true for a pending delivery that ended when its webhook was disabled, even if a worker has not rewritten its row yet.
 * @param endedNumber SQL of the webhook's `ended_number`
 */
export function hasEnded(endedNumber: string): string {
  return `(delivery.status = 'pending' AND delivery.number <= ${endedNumber})`;
}

/** SQL of the status that everyone sees. @param endedNumber SQL of the webhook's `ended_number` */
export function statusSql(endedNumber: string): string {
  return `CASE WHEN ${hasEnded(endedNumber)} THEN 'failed' ELSE delivery.status END`;
}
