import { emailResource, emails, emailSortColumns, type EmailResource } from '@kontor/contract'
import { emptyList } from '../../db/short-list.ts'
import { actorId } from '../../kernel/actor.ts'
import { isId } from '../../kernel/ids.ts'
import { implement, type WorkspaceReadContext } from '../../kernel/implement.ts'
import { presenterOf, resource } from '../../kernel/resource.ts'
import { growingPage } from '../../kernel/short-page.ts'
import { findObject } from '../objects/index.ts'
import type { InboundAddress, Links } from './links/links.ts'
import { emailsIn, findSeen, type EmailHead } from './store.ts'
import { findInboundRotation, rotateInbound } from '../workspaces/index.ts'
import { sortedColumns } from '../../kernel/requested-order.ts'

const sorting = {
  columns: sortedColumns(emailSortColumns, 'e.'),
  otherwise: { column: 'e.created_at', descending: true },
} as const

/** The services that the handlers need. */
type Services = { readonly inboundUrl: Links['inboundUrl'] }

export const emailHandlers = ({ inboundUrl }: Services) => {
  const inboundAt = (address: InboundAddress) => ({
    body: { data: resource('email-inbound', address.workspaceId, { url: inboundUrl(address) }) },
  })
  return implement(emails, {
    async list(ctx, input) {
      const { filter = {} } = input
      const { principal } = await findObject(ctx, 'person', 'read')
      const namesNothing = [filter.person, filter.workflow, filter.run].some((id) => id !== undefined && !isId(id))
      const view = { workspaceId: ctx.workspace.workspaceId, principal, actingId: actingOf(ctx), filter }
      const read = namesNothing ? emptyList : emailsIn(view)
      const { rows, ...envelope } = await growingPage(ctx, emails.list, input, { ...sorting, read })
      return { body: { data: rows.map(present), ...envelope } }
    },

    async get(ctx, { id }) {
      const { principal } = await findObject(ctx, 'person', 'read')
      const { workspaceId } = ctx.workspace
      const row = isId(id)
        ? await findSeen(ctx.tx, { workspaceId, principal, actingId: actingOf(ctx), filter: {} }, id)
        : undefined
      if (row === undefined) throw ctx.fail('not_found', { detail: 'There is no such e-mail.' })
      const { body_text: text, body_html: html } = row
      return { body: { data: resource('email', id, { ...present(row).attributes, text, html }) } }
    },

    async getInbound(ctx) {
      const { workspaceId } = ctx.workspace
      return inboundAt({ workspaceId, rotation: (await findInboundRotation(ctx.tx, workspaceId)) ?? 0 })
    },

    async rotateInbound(ctx) {
      const { workspaceId } = ctx.workspace
      return inboundAt({ workspaceId, rotation: await rotateInbound(ctx.tx, workspaceId) })
    },
  })
}

/** As whom runs are of which the caller sees letters to no record; undefined: as any. */
const actingOf = ({ workspace, actor }: WorkspaceReadContext): string | undefined =>
  workspace.role === 'admin' ? undefined : actorId(actor)

const presentRow = presenterOf(emailResource)

const present = (row: EmailHead): EmailResource =>
  presentRow(row, {
    state: row.email_state,
    block_id: row.block === '' ? null : row.block,
    from: row.sender,
    to: [...row.recipients],
    suppressed: [...row.left_out],
    attachments: row.files.map(({ id, ...file }) => ({ _id: id, ...file })),
    error: row.failure_detail,
  })
