import { search } from '@kontor/contract'
import { implement } from '../../kernel/implement.ts'
import { searchRecords, type FieldIndexes } from '../records/index.ts'

export const searchHandlers = (indexes: FieldIndexes) =>
  implement(search, {
    query: async (ctx, { body }) => ({ body: await searchRecords(ctx, indexes, body) }),
  })
