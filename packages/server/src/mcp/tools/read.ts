import { z } from 'zod'
import { asData, namesOf, recordText, titleOf } from '../../markdown/index.ts'
import { id, object, paging } from '../arguments.ts'
import { linesOf, portionOf, readCursor } from '../cursor.ts'
import { primaryOf, referenceOf } from '../schemas.ts'
import { primaries } from '../record-table.ts'
import { tool } from '../tool.ts'

export const read = tool({
  name: 'read',
  title: 'Read a record',
  description: 'Reads one record with all its fields, and the names of what it refers to.',
  uses: ['resources.get'],
  input: z.strictObject({
    object,
    id,
    include: z
      .array(z.string())
      .max(20)
      .default([])
      .meta({ description: 'To-many relationships to list too, such as `deals`.' }),
    ...paging,
  }),
  async run({ call, schemas }, { object: name, id: recordId, include, cursor, max_tokens: tokensMax }) {
    const schema = await schemas.find(name)
    const fields = Object.entries(schema?.properties ?? {})
    const references = fields.filter(([, field]) => referenceOf(field) !== undefined).map(([field]) => field)
    const { data } = await call('resources.get', {
      object: name,
      id: recordId,
      include: [...new Set([...references, ...include])],
    })
    const nameOf = namesOf([data], await primaries(schemas, [data]))
    const shown = fields.length > 0 ? fields.map(([field]) => field) : Object.keys(data.attributes)
    const system = ['_created_at', '_created_by', '_updated_at', '_updated_by', '_merged_ids']
    const text = recordText(data, [...new Set([...shown, ...include, ...system])], nameOf)
    const whole = `# ${titleOf(data.attributes, primaryOf(schema)) ?? name}\n\n- id: ${data.id}\n${text}`
    const { lines, more } = portionOf(linesOf(whole), readCursor(cursor), null, tokensMax)
    return `${asData(lines.join('\n'))}${more}`
  },
})
