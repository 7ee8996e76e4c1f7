import type { Json } from '../harness/http.ts'

/**
 * What differs from one run of a call to the next, each by its place among its kind: two answers that are alike become
 * equal.
 */
const kinds: readonly [string, RegExp][] = [
  ['id', /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g],
  ['time', /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z/g],
  ['key', /\bk[pw]_[\w-]+/g],
  ['object', /\b(c_(?:committee|project)_|(?:Committee|Project) )\d+/g],
  ['address', /example-\d+(@example\.com)?/g],
  ['link', /\btoken=[\w-]{43}/g],
]

export function normalise(body: Json): Json {
  if (body === undefined) return undefined
  let text = JSON.stringify(body)
  for (const [kind, pattern] of kinds) {
    const seen: string[] = []
    text = text.replaceAll(pattern, (found) => {
      if (!seen.includes(found)) seen.push(found)
      // Times of one answer may or may not fall into the same millisecond.
      return kind === 'time' ? 'time' : `${kind} ${seen.indexOf(found)}`
    })
  }
  return JSON.parse(text)
}
