import { z } from 'zod'
import { asData, plainText, table } from '../../markdown/index.ts'
import { tool } from '../tool.ts'

export const sql = tool({
  name: 'sql',
  title: 'Query with SQL',
  description:
    'Runs one SELECT: objects are tables, fields columns. JOIN … ON deal.company_id = company._id, GROUP BY, ' +
    'count, sum, avg, min, max, median, date_trunc, CASE. For questions that `aggregate` cannot express.',
  uses: ['sql.query'],
  input: z.strictObject({ query: z.string(), limit: z.int().min(1).max(500).default(100) }),
  async run({ call }, { query, limit }) {
    const { data, meta } = await call('sql.query', { body: { sql: query, limit } })
    if (data.length === 0) return 'No row matches.'
    const rows = table(
      meta.columns.map(({ name }) => name),
      data.map((row) => row.map((value) => plainText(value))),
    )
    return `${asData(rows)}${meta.truncated ? '\n\nThere are more rows: raise `limit`, or use LIMIT and OFFSET.' : ''}`
  },
})
