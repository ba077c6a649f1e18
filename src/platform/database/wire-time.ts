/** Returns SQL that formats a time for the wire, like `toWireTime`. */
export function wireTime(expression: string): string {
  return `to_char(${expression} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"000Z"')`;
}
