import { attributesOf, suppressedAddresses, suppressionSortColumns, type SuppressionResource } from '@kontor/contract'
import { emptyList } from '../../../db/short-list.ts'
import { actorId } from '../../../kernel/actor.ts'
import { isoTime } from '../../../kernel/clock.ts'
import { isId } from '../../../kernel/ids.ts'
import { implement, type WorkspaceReadContext } from '../../../kernel/implement.ts'
import { resource } from '../../../kernel/resource.ts'
import { growingPage } from '../../../kernel/short-page.ts'
import { defined } from '../../../lib/guards.ts'
import { normaliseEmail } from '../../fields/index.ts'
import { findObject, listVisibleIds } from '../../objects/index.ts'
import { makerOf } from './seen.ts'
import { deleteSuppression, insertSuppressions, lockAddress, suppressionsIn, type SuppressionRow } from './store.ts'
import { sortedColumns } from '../../../kernel/requested-order.ts'

const sorting = {
  columns: sortedColumns(suppressionSortColumns, 's.'),
  otherwise: { column: 's.created_at', descending: true },
} as const

export const suppressionHandlers = implement(suppressedAddresses, {
  async list(ctx, input) {
    const { filter } = input
    const { principal } = await findObject(ctx, 'person', 'read')
    const wanted = {
      ...filter,
      ...(filter?.address !== undefined && { address: normaliseEmail(filter.address) ?? filter.address }),
    }
    const view = { workspaceId: ctx.workspace.workspaceId, filter: wanted, principal, createdBy: makerOf(ctx) }
    const namesNobody = filter?.person !== undefined && !isId(filter.person)
    const read = namesNobody ? emptyList : suppressionsIn(view)
    const { rows, ...envelope } = await growingPage(ctx, suppressedAddresses.list, input, { ...sorting, read })
    return { body: { data: await presentAll(ctx, rows), ...envelope } }
  },

  async create(ctx, { body }) {
    const { workspaceId } = ctx.workspace
    const given = attributesOf(body)
    const address = normaliseEmail(given.address)
    if (address === undefined)
      throw ctx.fail('invalid_body', {
        detail: 'Must be an e-mail address, for example ada@example.com.',
        source: { pointer: 'data' in body ? '/data/attributes/address' : '/address' },
      })
    await lockAddress(ctx.tx, workspaceId, address)
    const before = await findSeen(ctx, address)
    if (before !== undefined) return { body: { data: before }, status: 200 }
    const row: SuppressionRow = {
      workspace_id: workspaceId,
      id: ctx.newId(),
      address,
      person_id: null,
      reason: 'manual',
      note: given.note ?? null,
      email_id: null,
      created_at: ctx.now,
      created_by: actorId(ctx.actor),
    }
    // Beside a suppression that the caller may not see, their own is stored: nothing reveals the other (0220).
    if ((await insertSuppressions(ctx.tx, [row])).size === 0)
      return { body: { data: defined(await findSeen(ctx, address)) }, status: 200 }
    await ctx.emit([
      { type: 'suppression.created', object: 'suppression', recordId: row.id, payload: { reason: row.reason } },
    ])
    return { body: { data: present(row, null) } }
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

/** The first suppression of an address that the list shows to the caller. */
async function findSeen(ctx: WorkspaceReadContext, address: string): Promise<SuppressionResource | undefined> {
  const { principal } = await findObject(ctx, 'person', 'read')
  const view = { workspaceId: ctx.workspace.workspaceId, filter: { address }, principal, createdBy: makerOf(ctx) }
  const order = { column: 's.created_at', descending: false, isText: false }
  const { rows } = await suppressionsIn(view)(ctx.tx, order, { offset: 0, rows: 1 })
  const [data] = await presentAll(ctx, rows)
  return data
}

/** Presents suppressions, with the people whom the caller may see. */
async function presentAll(ctx: WorkspaceReadContext, rows: readonly SuppressionRow[]): Promise<SuppressionResource[]> {
  const { object, principal } = await findObject(ctx, 'person', 'read')
  const people = rows.flatMap(({ person_id }) => person_id ?? [])
  const seen =
    people.length === 0
      ? new Set<string>()
      : await listVisibleIds(ctx.tx, ctx.workspace.workspaceId, object.key, people, principal)
  return rows.map((row) => present(row, row.person_id !== null && seen.has(row.person_id) ? row.person_id : null))
}

const present = (
  { id, address, reason, note, email_id, created_at, created_by }: SuppressionRow,
  personId: string | null,
): SuppressionResource =>
  resource('suppression', id, {
    _id: id,
    address,
    person_id: personId,
    reason,
    note,
    email_id,
    _created_at: isoTime(created_at),
    _created_by: created_by,
  })
