import {
  attributesOf,
  suppressedAddresses,
  type SuppressionResource,
  type suppressionSortColumns,
} from '@kontor/contract'
import { actorId } from '../../../kernel/actor.ts'
import { isoTime } from '../../../kernel/clock.ts'
import { isId } from '../../../kernel/ids.ts'
import { implement } from '../../../kernel/implement.ts'
import { requestedOrder } from '../../../kernel/requested-order.ts'
import { resource } from '../../../kernel/resource.ts'
import { defined } from '../../../lib/guards.ts'
import { offsetEnvelope } from '../../../lib/page-links.ts'
import { normaliseEmail } from '../../fields/index.ts'
import { findObject } from '../../objects/index.ts'
import {
  countSuppressions,
  deleteSuppression,
  findSuppression,
  insertSuppressions,
  listSuppressions,
  type SuppressionColumn,
  type SuppressionRow,
} from './store.ts'

/** The database columns that suppressions are sorted by. */
const columns: Readonly<Record<(typeof suppressionSortColumns)[number], SuppressionColumn>> = {
  _created_at: 'created_at',
  address: 'address',
}

export const suppressionHandlers = implement(suppressedAddresses, {
  async list(ctx, { workspace, page, sortOrder, filter }) {
    const { workspaceId } = ctx.workspace
    const order = requestedOrder(ctx, sortOrder, columns, { column: 'created_at', descending: true })
    const wanted = {
      ...filter,
      ...(filter?.address !== undefined && { address: normaliseEmail(filter.address) ?? filter.address }),
    }
    const { principal } = await findObject(ctx, 'person', 'read')
    const seesAll = ctx.workspace.role === 'admin'
    const view = { workspaceId, filter: wanted, principal, createdBy: seesAll ? undefined : actorId(ctx.actor) }
    const [rows, total] = await Promise.all([
      listSuppressions(ctx.tx, view, order, page),
      countSuppressions(ctx.tx, view),
    ])
    const url = `${ctx.baseUrl}/workspaces/${workspace}/suppressions`
    return { body: { data: rows.map(present), ...offsetEnvelope(url, page, total, { sortOrder, filter }) } }
  },

  async create(ctx, { body }) {
    const { workspaceId } = ctx.workspace
    const given = attributesOf(body)
    const address = normaliseEmail(given.address.trim())
    if (address === undefined)
      throw ctx.fail('invalid_body', {
        detail: 'This is no e-mail address.',
        source: { pointer: 'data' in body ? '/data/attributes/address' : '/address' },
      })
    const row: SuppressionRow = {
      workspace_id: workspaceId,
      id: ctx.newId(),
      address,
      reason: 'manual',
      note: given.note ?? null,
      email_id: null,
      created_at: ctx.now,
      created_by: actorId(ctx.actor),
    }
    if ((await insertSuppressions(ctx.tx, [row])).size === 0) {
      const before = defined(await findSuppression(ctx.tx, workspaceId, address))
      return { body: { data: present(before) }, status: 200 }
    }
    await ctx.emit([
      { type: 'suppression.created', object: 'suppression', recordId: row.id, payload: { reason: row.reason } },
    ])
    return { body: { data: present(row) } }
  },

  async remove(ctx, { id }) {
    const removed = isId(id) ? await deleteSuppression(ctx.tx, ctx.workspace.workspaceId, id) : undefined
    if (removed === undefined) throw ctx.fail('not_found', { detail: 'There is no such suppression.' })
    await ctx.emit([
      { type: 'suppression.deleted', object: 'suppression', recordId: id, payload: { reason: removed.reason } },
    ])
    return { body: {} }
  },
})

const present = ({
  id,
  address,
  reason,
  note,
  email_id,
  created_at,
  created_by,
}: SuppressionRow): SuppressionResource =>
  resource('suppression', id, {
    _id: id,
    address,
    reason,
    note,
    email_id,
    _created_at: isoTime(created_at),
    _created_by: created_by,
  })
