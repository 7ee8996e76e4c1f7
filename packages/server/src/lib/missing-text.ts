/** Ids that a text names; of more, it gives the number. */
const namedMax = 3

/** Names, for the caller, the records of an object that were not found. */
export function missingText(ids: readonly string[], object: string): string {
  const named = ids.slice(0, namedMax).map((id) => `"${id.slice(0, 64)}"`)
  const more = ids.length > namedMax ? ` and ${ids.length - namedMax} more` : ''
  return ids.length === 1
    ? `There is no ${object} with the id ${named.join('')}.`
    : `There are no ${object} records with the ids ${named.join(', ')}${more}.`
}
