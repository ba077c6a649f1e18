/** SQL of a time as it is on the wire, which `toWireTime` makes of one that has been read. */
export function wireTime(expression: string): string {
  return `to_char(${expression} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"000Z"')`;
}
