import { imports, type ImportResource, type importSortColumns } from '@kontor/contract'
import { actorId } from '../../kernel/actor.ts'
import { implement, inTwoParts, type WorkspaceReadContext, type WriteContext } from '../../kernel/implement.ts'
import { joinChunks } from '../../kernel/invoke/chunks.ts'
import { isNarrowed, mayTouch } from '../../kernel/authorise.ts'
import { presenterOf } from '../../kernel/resource.ts'
import { growingPage } from '../../kernel/short-page.ts'
import { defined } from '../../lib/guards.ts'
import type { TaskRow } from '../async-tasks/index.ts'
import { beginUpload, tooLarge } from '../files/index.ts'
import { workspaceSchemas } from '../schemas/index.ts'
import { endImport } from './ends.ts'
import { requireImport } from './find.ts'
import { previewImport, type PreviewServices } from './preview.ts'
import { rejectsFile } from './rejects/file.ts'
import { writeRejects } from './rejects/write.ts'
import { resumeImport } from './resume.ts'
import { requireRevert, revertImport, presentRevert } from './revert/service.ts'
import { openUpload, startImport } from './start.ts'
import { findImport, importsAmong, type ImportRow } from './store.ts'

/** The database columns that imports are sorted by. */
const columns = {
  _created_at: 'created_at',
  ended_at: 'ended_at',
} as const satisfies Readonly<Record<(typeof importSortColumns)[number], keyof ImportRow>>

const sorting = { columns, otherwise: { column: 'id', descending: true } } as const

const present = presenterOf(imports.get.response.shape.data)

const presentImport = (row: ImportRow): ImportResource =>
  present(row, {
    format: row.shape.format,
    encoding: row.shape.encoding,
    delimiter: row.shape.delimiter,
    sheet: row.shape.sheet?.sheet ?? null,
    mapping: row.options.mapping ?? null,
    relationship: row.options.relationship ?? null,
    match_on: row.options.match_on ?? null,
    dry_run: row.options.dry_run,
  })

/** The objects whose records a narrowed credential covers; undefined for any other. */
async function coveredObjects(ctx: WorkspaceReadContext): Promise<readonly string[] | undefined> {
  if (!isNarrowed(ctx.actor)) return undefined
  return [...(await workspaceSchemas(ctx)).keys()].filter((object) => mayTouch(ctx.actor, 'read', object))
}

/** Cancels an import whose task is cancelled; false if it has ended. */
export const cancelImport = (ctx: WriteContext, { id }: Pick<TaskRow, 'id'>): Promise<boolean> =>
  endImport(ctx.tx, { workspaceId: ctx.workspace.workspaceId, now: ctx.clockNow }, id, { state: 'cancelled' })

export const importHandlers = (services: PreviewServices) =>
  implement(imports, {
    async list(ctx, input) {
      const read = importsAmong({
        workspaceId: ctx.workspace.workspaceId,
        createdBy: ctx.workspace.role === 'admin' ? undefined : actorId(ctx.actor),
        state: input.filter?.state,
        objects: await coveredObjects(ctx),
      })
      const { rows, ...envelope } = await growingPage(ctx, imports.list, input, { ...sorting, read })
      return { body: { data: rows.map(presentImport), ...envelope } }
    },

    upload: inTwoParts(async (read: WorkspaceReadContext<'payload_too_large'>, { body: { name, size_bytes } }) => {
      const { bytesMax } = services.storage
      if (size_bytes !== undefined && size_bytes > bytesMax) throw tooLarge(read, bytesMax)
      const id = read.newId()
      const signedUrl = await services.storage.uploadUrl({ workspaceId: read.workspace.workspaceId, id }, size_bytes)
      return async (ctx) => {
        await beginUpload(ctx, { id, subject_id: actorId(ctx.actor), name, upload_key: `imports/${id}` })
        return { body: { data: { signedUrl, upload_id: id } } }
      }
    }),

    preview: async (ctx, { body }) => ({ body: { data: await previewImport(ctx, services, body) } }),

    create: inTwoParts(async (read: WorkspaceReadContext<'payload_too_large'>, { body, silent = false }) => {
      const opened = await openUpload(read, services, body)
      return async (ctx) => ({ body: { data: presentImport(await startImport(ctx, body, opened, silent)) } })
    }),

    get: async (ctx, { id }) => ({ body: { data: presentImport(await requireImport(ctx, id)) } }),

    async cancel(ctx, { id }) {
      const row = await requireImport(ctx, id)
      const { workspaceId } = ctx.workspace
      const isCancelled = await cancelImport(ctx, row)
      return { body: { data: presentImport(isCancelled ? defined(await findImport(ctx.tx, workspaceId, id)) : row) } }
    },

    resume: async (ctx, { id }) => ({ body: { data: presentImport(await resumeImport(ctx, id)) } }),

    revert: async (ctx, input) => ({ body: { data: presentRevert(await revertImport(ctx, input)) } }),

    getRevert: async (ctx, { id }) => ({ body: { data: presentRevert(await requireRevert(ctx, id)) } }),

    async exportRejects(ctx, { id }) {
      const chunks = rejectsFile(ctx.tx, ctx.workspace.workspaceId, await requireImport(ctx, id))
      return ctx.takesChunks ? { chunks } : { body: (await joinChunks(chunks)).data.join('') }
    },

    writeRejects: inTwoParts(async (read: WorkspaceReadContext, { id: importId }) => {
      const { workspaceId } = read.workspace
      const file = writeRejects(read.tx, workspaceId, await requireImport(read, importId))
      const id = read.newId()
      await services.storage.write({ workspaceId, id }, file.bytes)
      const signedUrl = await services.storage.downloadUrl({ workspaceId, id }, file)
      return async (ctx) => {
        await beginUpload(ctx, { id, subject_id: actorId(ctx.actor), name: file.name, upload_key: `imports/${id}` })
        return { body: { data: { signedUrl, name: file.name } } }
      }
    }),
  })
