import type { ImportPreview } from '@kontor/contract'

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

type Proposal = Pick<ImportPreview, 'object' | 'columns' | 'mapping' | 'match_on' | 'ambiguities'>

/** Says what to add to the command line, where no mapping is given. */
export function proposalInWords({ object, columns, mapping, match_on, ambiguities }: Proposal): string {
  const hint = "Map columns to fields, for example: --map 'Name=name'. You can repeat the option."
  const fields = `Fields of ${object}: kontor schema pull, or GET …/schemas/objects/${object}`
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
