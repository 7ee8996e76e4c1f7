import { exports, type ExportResource, type exportSortColumns } from '@kontor/contract'
import { actorId } from '../../kernel/actor.ts'
import { isoTime } from '../../kernel/clock.ts'
import { isId } from '../../kernel/ids.ts'
import { implement, inTwoParts, type WorkspaceReadContext, type WriteContext } from '../../kernel/implement.ts'
import { presenterOf } from '../../kernel/resource.ts'
import { growingPage } from '../../kernel/short-page.ts'
import { defined } from '../../lib/guards.ts'
import type { TaskRow } from '../async-tasks/index.ts'
import type { FileStorage } from '../files/index.ts'
import type { FieldIndexes } from '../indexes/index.ts'
import { checkRequest, type SourceContext } from './sources/index.ts'
import { endExport, keptMs } from './ends.ts'
import { extensionOf, startExport } from './start.ts'
import { exportsAmong, findExport, type ExportRow } from './store.ts'
import { isLowerRole, isNarrowed, scopesMissing } from '../../kernel/authorise.ts'
import { actorOf } from '../identity/acting/index.ts'

/** The database columns that exports are sorted by. */
const columns = {
  _created_at: 'created_at',
  ended_at: 'ended_at',
} as const satisfies Readonly<Record<(typeof exportSortColumns)[number], keyof ExportRow>>

const sorting = { columns, otherwise: { column: 'id', descending: true } } as const

const present = presenterOf(exports.get.response.shape.data)

const presentExport = (row: ExportRow): ExportResource =>
  present(row, {
    format: extensionOf(row.options),
    expires_at: row.state === 'completed' && row.ended_at !== null ? isoTime(row.ended_at + keptMs) : null,
  })

/** Finds an export that the caller may see: its creator and admins may. */
async function requireExport(ctx: WorkspaceReadContext, id: string): Promise<ExportRow> {
  const { actor, workspace } = ctx
  const row = isId(id) ? await findExport(ctx.tx, workspace.workspaceId, id) : undefined
  if (row === undefined || !(workspace.role === 'admin' || row.created_by === actorId(actor)))
    throw ctx.fail('not_found', { detail: 'There is no export with this id that you may see.' })
  return row
}

/** Cancels an export whose task is cancelled; false if it has ended. */
export const cancelExport = (ctx: WriteContext, { id }: Pick<TaskRow, 'id'>): Promise<boolean> =>
  endExport(ctx.tx, { workspaceId: ctx.workspace.workspaceId, now: ctx.clockNow }, id, { state: 'cancelled' })

type Services = { readonly storage: FileStorage; readonly indexes: FieldIndexes }

export const exportHandlers = (services: Services) =>
  implement(exports, {
    async list(ctx, input) {
      const read = exportsAmong({
        workspaceId: ctx.workspace.workspaceId,
        createdBy: ctx.workspace.role === 'admin' ? undefined : actorId(ctx.actor),
        state: input.filter?.state,
      })
      const { rows, ...envelope } = await growingPage(ctx, exports.list, input, { ...sorting, read })
      return { body: { data: rows.map(presentExport), ...envelope } }
    },

    create: inTwoParts(async (read: SourceContext, { body }) => {
      await checkRequest(read, services.indexes, body)
      return async (ctx) => ({ body: { data: presentExport(await startExport(ctx, body)) } })
    }),

    get: async (ctx, { id }) => ({ body: { data: presentExport(await requireExport(ctx, id)) } }),

    async download(ctx, { id }) {
      const row = await requireExport(ctx, id)
      requireDownload(ctx, row)
      if (row.state !== 'completed') return { body: { data: { url: null } } }
      const shown = { name: row.file_name, mimeType: null }
      return {
        body: {
          data: { url: await services.storage.downloadUrl({ workspaceId: ctx.workspace.workspaceId, id }, shown) },
        },
      }
    },

    async cancel(ctx, { id }) {
      const row = await requireExport(ctx, id)
      const isCancelled = await cancelExport(ctx, row)
      const { workspaceId } = ctx.workspace
      return { body: { data: presentExport(isCancelled ? defined(await findExport(ctx.tx, workspaceId, id)) : row) } }
    },
  })

/** 404 unless the caller is the creator, with no fewer rights than the export was started with. */
function requireDownload(ctx: WorkspaceReadContext, row: ExportRow): void {
  if (row.created_by === actorId(ctx.actor) && seesAsMuch(ctx, row)) return
  throw ctx.fail('not_found', {
    detail:
      row.kind === 'workspace'
        ? 'Only the creator of an export may download it, as an admin with a credential without scopes.'
        : 'Only the creator of an export may download it, with the role and the scopes that it was started with.',
  })
}

/** Returns whether the caller may read everything that the creator could: they may have been demoted, or use a key. */
function seesAsMuch({ actor, workspace }: WorkspaceReadContext, { kind, actor: owner }: ExportRow): boolean {
  if (isLowerRole(workspace.role, kind === 'workspace' ? 'admin' : (owner.role ?? 'admin'))) return false
  if (!isNarrowed(actor)) return true
  const creator = actorOf(owner, workspace.workspaceId, undefined)
  return isNarrowed(creator) && scopesMissing(actor, creator.scopes).length === 0
}
