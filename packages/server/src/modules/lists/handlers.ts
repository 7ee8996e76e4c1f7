import { lists } from '@kontor/contract'
import { implement, type WriteContext } from '../../kernel/implement.ts'
import type { FieldIndexes } from '../indexes/index.ts'
import { exportRows } from './csv/export.ts'
import { addEntries, removeEntries } from './entries/service.ts'
import { requireList, type FoundList } from './find.ts'
import { listAll, listOfObject } from './list.ts'
import { presentList } from './present.ts'
import { listRecordsOf } from './records.ts'
import { changeList, createList, publishList, removeList, unpublishList } from './service.ts'

const answer = ({ object, row }: Pick<FoundList, 'object' | 'row'>) => ({
  body: { data: presentList(row, object.name) },
  version: row.version,
})

/** Receives a list that is deleted, in the same transaction. */
type ListEffects = { readonly removed: (ctx: WriteContext, id: string) => Promise<void> }

export const listHandlers = (indexes: FieldIndexes, { removed }: ListEffects) =>
  implement(lists, {
    list: async (ctx, input) => ({ body: await listAll(ctx, input) }),

    listOfObject: async (ctx, input) => ({ body: await listOfObject(ctx, input) }),

    create: async (ctx, { object, body }) => answer(await createList(ctx, object, body)),

    get: async (ctx, path) => answer(await requireList(ctx, path)),

    update: async (ctx, { body, ...path }) => answer(await changeList(ctx, path, body)),

    async remove(ctx, path) {
      await removed(ctx, await removeList(ctx, path))
      return { body: {} }
    },

    publish: async (ctx, path) => answer(await publishList(ctx, path)),

    unpublish: async (ctx, path) => answer(await unpublishList(ctx, path)),

    listRecords: (ctx, input) => listRecordsOf(ctx, indexes, input),

    exportRows: (ctx, input) => exportRows(ctx, indexes, input),

    async addRecords(ctx, { body, ...path }) {
      await addEntries(ctx, path, body.data)
      return { body: {} }
    },

    async removeRecords(ctx, { body, ...path }) {
      await removeEntries(ctx, path, body.data)
      return { body: {} }
    },
  })
