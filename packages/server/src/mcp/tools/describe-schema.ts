import { z } from 'zod'
import { asData } from '../../markdown/index.ts'
import { object } from '../arguments.ts'
import { objectsText, schemaText } from '../schema-text.ts'
import { tool } from '../tool.ts'

export const describeSchema = tool({
  name: 'describe_schema',
  title: 'Describe objects and fields',
  description:
    'Lists the objects of the workspace, or the fields of one: types, options, unique fields, relationships.',
  uses: ['schemas.list', 'schemas.get'],
  input: z.strictObject({ object: object.optional().meta({ description: 'Default: list all objects.' }) }),
  async run({ call }, { object: name }) {
    if (name !== undefined) return asData(schemaText((await call('schemas.get', { object: name })).data.attributes))
    return asData(objectsText((await call('schemas.list', { page: { limit: 200 } })).data))
  },
})
