import { search } from '@kontor/contract'
import { implement } from '../../kernel/implement.ts'
import { searchRecords } from '../query/index.ts'
import type { FieldIndexes } from '../indexes/index.ts'

export const searchHandlers = (indexes: FieldIndexes) =>
  implement(search, {
    query: async (ctx, { body }) => ({ body: await searchRecords(ctx, indexes, body) }),
  })
