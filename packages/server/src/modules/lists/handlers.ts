import { lists } from '@kontor/contract'
import { implement } from '../../kernel/implement.ts'
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

export const listHandlers = (indexes: FieldIndexes) =>
  implement(lists, {
    list: async (ctx, input) => ({ body: await listAll(ctx, input) }),

    listOfObject: async (ctx, input) => ({ body: await listOfObject(ctx, input) }),

    create: async (ctx, { object, body }) => answer(await createList(ctx, object, body)),

    get: async (ctx, place) => answer(await requireList(ctx, place)),

    update: async (ctx, { body, ...place }) => answer(await changeList(ctx, place, body)),

    async remove(ctx, place) {
      await removeList(ctx, place)
      return { body: {} }
    },

    publish: async (ctx, place) => answer(await publishList(ctx, place)),

    unpublish: async (ctx, place) => answer(await unpublishList(ctx, place)),

    listRecords: (ctx, input) => listRecordsOf(ctx, indexes, input),

    exportRows: (ctx, input) => exportRows(ctx, indexes, input),

    async addRecords(ctx, { body, ...place }) {
      await addEntries(ctx, place, body.data)
      return { body: {} }
    },

    async removeRecords(ctx, { body, ...place }) {
      await removeEntries(ctx, place, body.data)
      return { body: {} }
    },
  })
