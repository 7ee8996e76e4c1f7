import { sql } from '@kontor/contract'
import { implement } from '../../kernel/implement.ts'
import { answerSql, exportSql } from './answer.ts'

export const sqlHandlers = () =>
  implement(sql, {
    query: async (ctx, { body }) => ({ body: await answerSql(ctx, body) }),
    exportCsv: async (ctx, { body }) => ({ body: await exportSql(ctx, body) }),
  })
