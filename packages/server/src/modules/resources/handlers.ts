import { resources } from '@kontor/contract'
import { implement } from '../../kernel/implement.ts'
import { createWithLinks, dryRunMeta, getRecord, listRecords, presentRecord, queryRecords, type FieldIndexes } from '../records/index.ts'

/** The same records in JSON:API form. */
export const resourceHandlers = (indexes: FieldIndexes) =>
  implement(resources, {
    list: async (ctx, input) => ({ body: await listRecords(ctx, indexes, input) }),

    query: async (ctx, input) => ({ body: await queryRecords(ctx, indexes, input) }),

    async create(ctx, { object: name, body, dry_run }) {
      const { target, written } = await createWithLinks(ctx, name, body.data)
      return {
        body: { data: presentRecord(target.object, written.row), included: [], meta: dryRunMeta(dry_run, [written.diff]).meta ?? {} },
        version: written.row.version,
      }
    },

    get: (ctx, { object, id }) => getRecord(ctx, object, id),
  })
