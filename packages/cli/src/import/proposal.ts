import type { ImportPreview } from '@kontor/contract'

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

type Proposal = Pick<ImportPreview, 'object' | 'columns' | 'mapping' | 'match_on' | 'ambiguities'> & {
  /** The fields that an import can fill; empty if the key may not read schemas. */
  readonly writable: readonly string[]
}

/** Lists the fields with names of persons that get only a full name in the first rows. */
export const wholeNamesIn = ({ mapping, rows }: Pick<ImportPreview, 'mapping' | 'rows'>): string[] =>
  [...new Set(mapping.map(({ field }) => field.replace(/\.full_name$/, '')))].filter((field) => {
    const names = rows.map(({ attributes }) => attributes?.[field] ?? null).filter((name) => name !== null)
    return names.length > 0 && names.every(isWhole)
  })

const isWhole = (name: unknown): boolean =>
  typeof name === 'object' &&
  name !== null &&
  'full_name' in name &&
  'first_name' in name &&
  name.first_name === null &&
  'last_name' in name &&
  name.last_name === null

/** Says what to add to the command line, where no mapping is given. */
export function proposalInWords({ object, columns, mapping, match_on, ambiguities, writable }: Proposal): string {
  const hint = "Map columns to fields, for example: --map 'Name=name'. You can repeat the option."
  const fields = `Fields of ${object}: ${writable.join(', ') || `GET …/schemas/objects/${object}`}`
  const names = columns.map(({ name }) => name).filter((name) => name !== '')
  if (mapping.length === 0) return `${hint}\nColumns: ${names.join(', ')}\n${fields}`
  const options = mapping.map(({ source, field }) => `--map ${quoted(`${source}=${field}`)}`)
  const unmapped = columns.flatMap(({ name, fields: filled }) => (filled.length === 0 && name !== '' ? [name] : []))
  return [
    `${hint}\nThe columns look like these fields. Check them, and add to the command:`,
    `  ${[...options, ...(match_on === null ? [] : [`--match-on ${match_on}`])].join(' ')}`,
    ...ambiguities.map(
      ({ option, columns: unclear, values }) =>
        `${unclear.join(', ')} can be read in several ways; add --${option} ${values.join(` or --${option} `)}`,
    ),
    ...(unmapped.length > 0 ? [`Columns that look like no field: ${unmapped.join(', ')}`, fields] : []),
  ].join('\n')
}
