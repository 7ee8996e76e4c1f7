/** Reads `Retry-After`: seconds, or a date (RFC 9110 §10.2.3). Undefined where there is none. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  if (/^\s*\d{1,9}\s*$/.test(header)) return Number(header) * 1000
  // A date begins with the name of a day; the parser would take "-5" for one too.
  const at = /^\s*[A-Z]/i.test(header) ? Date.parse(header) : NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
