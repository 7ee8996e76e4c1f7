type Value = string | number | boolean | null | undefined | readonly Value[] | { readonly [key: string]: Value }

/**
 * Spells query parameters as the API reads them: nested objects with brackets, lists of scalars with commas. The values
 * of a filter may contain commas, so they are repeated as `name[]` unless they are ids or the like.
 */
export function queryString(query: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => spell(name, value as Value))
  return pairs.length === 0 ? '' : `?${pairs.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')}`
}

function spell(name: string, value: Value): [string, string][] {
  const isFilter = name.startsWith('filter[')
  if (value === undefined) return []
  // By a word that no option can be taken for.
  if (value === null) return isFilter ? [[`${name}[is_null]`, '']] : []
  if (typeof value !== 'object') return [[name, String(value)]]
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) {
    const texts = value.map(String)
    return !isFilter || isSplit(name, texts) ? [[name, texts.join(',')]] : texts.map((text) => [`${name}[]`, text])
  }
  return Object.entries(value).flatMap(([key, inner]: [string, Value]) =>
    spell(key === '' ? name : `${name}[${key}]`, inner),
  )
}

/** Returns whether a list of a filter is read again from its commas. */
const isSplit = (name: string, texts: readonly string[]): boolean =>
  texts.length === 0 || (/\[(One of|Not one of|in|nin)\]$/.test(name) && texts.every((text) => !text.includes(',')))
