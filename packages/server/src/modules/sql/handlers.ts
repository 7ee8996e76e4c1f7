import { sql } from '@kontor/contract'
import { implement } from '../../kernel/implement.ts'
import { answerSql, exportSql } from './answer.ts'

export const sqlHandlers = () =>
  implement(sql, {
    query: async (ctx, { body }) => ({ body: await answerSql(ctx, body) }),
    exportCsv: (ctx, { body }) => exportSql(ctx, body),
  })
