import { proposeMapping, writable } from '@kontor/contract/cells'
import type { ObjectSchemaDocument } from '@kontor/contract'

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** Says what to add to the command line, where no mapping is given. */
export function proposalInWords(header: readonly string[], schema: ObjectSchemaDocument): string {
  const { maps, matchOn, unmapped } = proposeMapping(header, schema)
  const ask = "Map columns to fields, for example: --map 'Name=name'. You can repeat the option."
  const fields = `Fields of ${schema.title}: ${writable(schema).join(', ')}`
  if (maps.length === 0) return `${ask}\nColumns: ${header.join(', ')}\n${fields}`
  const options = maps.map(({ source, field }) => `--map ${quoted(`${source}=${field}`)}`)
  return [
    `${ask}\nThe columns look like these fields. Check them, and add to the command:`,
    `  ${[...options, ...(matchOn === undefined ? [] : [`--match-on ${matchOn}`])].join(' ')}`,
    ...(unmapped.length > 0 ? [`Columns that look like no field: ${unmapped.join(', ')}`, fields] : []),
  ].join('\n')
}
