import { resources } from '@kontor/contract'
import { implement } from '../../kernel/implement.ts'
import { resource } from '../../kernel/resource.ts'
import { countVisible } from '../access/index.ts'
import type { FieldIndexes } from '../indexes/index.ts'
import { findObject } from '../objects/index.ts'
import { aggregateRecords, listDeletedRecords, listRecords, presentOne, queryRecords } from '../query/index.ts'
import { dryRunMeta, getRecord } from '../records/index.ts'
import { createWithLinks } from './create-with-links.ts'

/** Serves the records in JSON:API form. */
export const resourceHandlers = (indexes: FieldIndexes) =>
  implement(resources, {
    list: (ctx, input) => listRecords(ctx, indexes, input),

    query: (ctx, input) => queryRecords(ctx, indexes, input),

    aggregate: async (ctx, input) => ({ body: await aggregateRecords(ctx, indexes, input) }),

    async create(ctx, { object: name, body, dry_run }) {
      const { target, written } = await createWithLinks(ctx, name, body.data)
      return {
        body: {
          data: await presentOne(ctx, target.object, written.row),
          included: [],
          meta: (await dryRunMeta(ctx, dry_run, [written.diff])).meta ?? {},
        },
        version: written.row.version,
      }
    },

    get: getRecord,

    async stats(ctx, { object: name }) {
      const { object, principal } = await findObject(ctx, name, 'read')
      const count = await countVisible(ctx.tx, object.key, principal)
      return { body: { data: resource('object-stats', object.name, { count }) } }
    },

    listDeleted: async (ctx, input) => ({ body: await listDeletedRecords(ctx, input) }),
  })
