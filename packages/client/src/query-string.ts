type Value = string | number | boolean | null | undefined | readonly Value[] | { readonly [key: string]: Value }

/** Spells query parameters as the API reads them: nested objects with brackets, lists of scalars with commas. */
export function queryString(query: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => spell(name, value as Value))
  return pairs.length === 0 ? '' : `?${pairs.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')}`
}

function spell(name: string, value: Value): [string, string][] {
  if (value === undefined || value === null) return []
  if (typeof value !== 'object') return [[name, String(value)]]
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return [[name, value.join(',')]]
  return Object.entries(value).flatMap(([key, inner]: [string, Value]) => spell(`${name}[${key}]`, inner))
}
