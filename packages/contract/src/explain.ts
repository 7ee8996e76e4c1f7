import { z } from 'zod'

/** For admins: how a list is read. */
export const explainQuery = {
  explain: z
    .boolean()
    .optional()
    .meta({
      description:
        'Adds `meta.explain`: how the list is read, by which indexes and queries. For admins. A list that ' +
        'takes too long is explained all the same, without its records.',
    }),
}

const fieldIndex = z
  .object({
    object: z.string().meta({ example: 'person' }),
    field: z.string().meta({ example: 'job_title' }),
    kind: z.enum(['text', 'number', 'grams']).meta({
      description:
        'Its contents: the values in order, as texts or as numbers, or all groups of three characters in them.',
    }),
    state: z
      .enum(['ready', 'building', 'absent'])
      .meta({ description: '`absent`: the object is small, or this list is the first to need it.' }),
  })
  .meta({ id: 'FieldIndex', description: 'An index that a list uses or could use.' })

const explainedStatement = z
  .object({
    sql: z.string().meta({ description: 'The query, with placeholders.' }),
    steps: z.array(z.string()).meta({ description: "The database's own plan, line by line." }),
  })
  .meta({ id: 'ExplainedStatement' })

export const listExplanation = z
  .object({
    plan: z.array(z.string()).meta({ description: 'A description of where the records and the total come from.' }),
    indexes: z.array(fieldIndex),
    statements: z.array(explainedStatement),
  })
  .meta({ id: 'ListExplanation', description: 'The indexes that a list used.' })

export type ListExplanation = z.infer<typeof listExplanation>
