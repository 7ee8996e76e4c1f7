import { resources } from '@kontor/contract'
import { implement } from '../../kernel/implement.ts'
import { createWithLinks, dryRunMeta, getRecord, listRecords, presentRecord, queryRecords } from '../records/index.ts'

/** The same records in JSON:API form. */
export const resourceHandlers = implement(resources, {
  list: (ctx, input) => listRecords(ctx, input),

  query: (ctx, input) => queryRecords(ctx, input),

  async create(ctx, { object: name, body, dry_run }) {
    const { target, written } = await createWithLinks(ctx, name, body.data)
    return {
      body: { data: presentRecord(target.object, written.row), included: [], meta: dryRunMeta(dry_run, [written.diff]).meta ?? {} },
      version: written.row.version,
    }
  },

  get: (ctx, { object, id }) => getRecord(ctx, object, id),
})
