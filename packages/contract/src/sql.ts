import { z } from 'zod'
import { domain } from './endpoint.ts'
import { listSqlBytesMax } from './list.ts'

/** Most rows of one answer. */
export const sqlRowsMax = 10_000

const text = z
  .string()
  .min(1)
  .max(listSqlBytesMax)
  .meta({
    description:
      'One SELECT. Objects are tables and fields are columns; related objects are joined along a relationship. ' +
      'Texts are compared regardless of case. Days are those of the time zone of the workspace.',
    example: 'SELECT job_title, count(*) AS people FROM person GROUP BY job_title ORDER BY people DESC',
  })

const limit = (most: number) =>
  z
    .int()
    .min(1)
    .max(most)
    .default(100)
    .meta({ description: 'Maximum number of rows; `LIMIT` in the query can lower it.' })

/** The types of the columns of a table. */
export const cellTypes = ['text', 'number', 'boolean', 'date', 'timestamp'] as const

export type CellType = (typeof cellTypes)[number]

/** The body of a query in SQL. */
const sqlBody = z
  .strictObject({
    sql: text,
    limit: limit(sqlRowsMax),
    explain: z.boolean().default(false).meta({ description: 'True to get the steps of the database in `meta.plan`.' }),
  })
  .meta({ id: 'SqlBody' })

export type SqlBody = z.output<typeof sqlBody>

const column = z
  .object({
    name: z
      .string()
      .meta({ description: 'The name given by `AS`, or the name of the field or function.', example: 'people' }),
    type: z.enum(cellTypes),
  })
  .meta({ id: 'SqlColumn' })

const cell = z.union([
  z.string().meta({ description: 'A text, an option, an id, a date, or a time in ISO 8601.' }),
  z.number().meta({ description: 'A number, with up to fifteen digits.' }),
  z.boolean().meta({ description: 'A checkbox or a condition.' }),
  z.null(),
])

const collection = '/workspaces/{workspace}/sql'

const exampleSql =
  'SELECT company.name AS company, count(*) AS people FROM person ' +
  'JOIN company ON person.company_id = company._id GROUP BY company.name ORDER BY people DESC LIMIT 5'

/** Queries in SQL over the records of a workspace. */
export const sql = domain({
  query: {
    method: 'POST',
    safe: true,
    replica: true,
    path: collection,
    caller: 'any',
    scope: 'records:read',
    summary: 'Query with SQL',
    description:
      'Runs one SELECT over the records that the caller may read: joins along relationships, conditions, GROUP BY, ' +
      'HAVING, aggregate functions, ORDER BY, LIMIT and OFFSET. The text is parsed and compiled; it never reaches ' +
      'the database as it was sent. Unsupported SQL is reported with its token and character.',
    body: sqlBody,
    response: z
      .object({
        data: z
          .array(z.array(cell))
          .meta({ description: 'The rows, each with its values in the order of the columns.' }),
        meta: z
          .object({
            columns: z.array(column),
            truncated: z.boolean().meta({ description: 'True if there are more rows than `limit`.' }),
            plan: z
              .array(z.string())
              .nullable()
              .meta({ description: 'The steps of the database; null without `explain`.' }),
          })
          .meta({ id: 'SqlMeta' }),
      })
      .meta({ id: 'SqlAnswer' }),
    errors: ['unsupported_sql'],
    examples: { body: { sql: exampleSql } },
  },
  exportCsv: {
    method: 'POST',
    safe: true,
    replica: true,
    path: `${collection}/csv`,
    caller: 'any',
    scope: 'records:read',
    media: 'text/csv',
    summary: 'Export a SQL result as CSV',
    description:
      'Runs the same query and returns CSV: a header line, then a line for each row. Texts that a spreadsheet ' +
      'would read as a formula start with an apostrophe. Lines end as in RFC 4180.',
    body: z.strictObject({ sql: text, limit: limit(sqlRowsMax) }).meta({ id: 'SqlExport' }),
    response: z.string(),
    errors: ['unsupported_sql'],
    examples: { body: { sql: exampleSql } },
  },
})
