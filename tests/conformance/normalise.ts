import type { Json } from '../harness/http.ts'

/**
 * Values that differ from one run of a call to the next, each by its place among its kind: two answers that are alike
 * become equal.
 */
const kinds: readonly [string, RegExp][] = [
  ['inbound', /\/(?:email\/inbound|webhooks\/(?:agents|workflows)\/\w+)\/[\w-]{43,}/g],
  ['id', /[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g],
  ['signature', /\bv1,[\w+/=]{44}/g],
  ['second', /(?<="webhook-timestamp":")\d{10}/g],
  ['date', /(?<="date":")[^"]+/g],
  ['duration', /(?<="duration_ms":)\d+/g],
  ['time', /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z/g],
  ['key', /\bk[pw]_[\w-]+/g],
  ['secret', /\bwhsec_[\w+/=]+/g],
  ['object', /\b(c_(?:committee|project)_|(?:Committee|Project) )\d+/g],
  ['address', /example-\d+(@example\.com)?/g],
  ['link', /\btoken=[\w.-]{43,}/g],
]

export function normalise(body: Json): Json {
  if (body === undefined) return undefined
  let text = JSON.stringify(body)
  for (const [kind, pattern] of kinds) {
    const seen: string[] = []
    text = text.replaceAll(pattern, (found) => {
      if (!seen.includes(found)) seen.push(found)
      if (kind === 'duration') return '0'
      // Times of one answer may or may not fall into the same millisecond.
      return kind === 'time' ? 'time' : `${kind} ${seen.indexOf(found)}`
    })
  }
  return JSON.parse(text)
}

/** A read to the letter, but for the tokens of signed URLs, which are sealed anew each time. */
export const withoutTokens = (body: Json): Json =>
  body === undefined ? undefined : JSON.parse(JSON.stringify(body).replaceAll(/\btoken=[\w.-]{43,}/g, 'token'))
