import { enqueue } from '../../engine/store.ts'
import { chainOf } from '../../kernel/actor.ts'
import type { WriteContext } from '../../kernel/implement.ts'
import { defined } from '../../lib/guards.ts'
import { lockTask, updateTask } from '../async-tasks/index.ts'
import { findFile } from '../files/index.ts'
import { ownerOf } from '../identity/acting/index.ts'
import { findTarget } from '../records/index.ts'
import { isOpen } from './ends.ts'
import { requireImport } from './find.ts'
import { importJobType } from './job-type.ts'
import { findRevert } from './revert/store.ts'
import { importRows, type ImportRow } from './store.ts'

/** Has a job go on with an import that ended before its last row, as the caller. */
export async function resumeImport(ctx: WriteContext<'import_state'>, id: string): Promise<ImportRow> {
  const { workspaceId } = ctx.workspace
  await requireImport(ctx, id)
  const row = defined(await importRows.lock(ctx.tx, workspaceId, id))
  if (isOpen(row) || row.state === 'completed') return row
  await findTarget(ctx, row.object, row.options.relationship === undefined ? 'create' : 'write')
  if (!row.options.dry_run && (await findRevert(ctx.tx, workspaceId, id)) !== undefined)
    throw ctx.fail('import_state', { detail: 'This import was reverted: start another.', meta: { state: row.state } })
  if (!(await isFileKept(ctx, row)))
    throw ctx.fail('import_state', {
      detail: 'The file of this import is no longer kept: upload it again, and start another import.',
      meta: { state: row.state },
    })
  const actor = ownerOf(ctx.actor, ctx.workspace.role)
  await importRows.update(ctx.tx, workspaceId, id, {
    state: isCounted(row) ? 'running' : 'queued',
    actor,
    error: null,
    ended_at: null,
  })
  if ((await lockTask(ctx.tx, workspaceId, id)) !== undefined)
    await updateTask(ctx.tx, workspaceId, id, ctx.clockNow, { failed_at: null, error_code: null })
  const counting = { position: row.shape.start, line: row.shape.line, rows: 0 }
  const payload = { import_id: id, counting: isCounted(row) ? null : counting, chain: chainOf(ctx.actor) }
  await enqueue(ctx.tx, { workspaceId, kind: importJobType, payload, now: ctx.clockNow, key: id })
  return defined(await importRows.find(ctx.tx, workspaceId, id))
}

/** Returns whether the rows are counted; of a workbook, whether they are unpacked. */
const isCounted = ({ rows_total }: ImportRow): boolean => rows_total !== null

async function isFileKept(ctx: WriteContext<'import_state'>, { file_id, shape }: ImportRow): Promise<boolean> {
  const { workspaceId } = ctx.workspace
  const ids = shape.upload === undefined ? [file_id] : [file_id, shape.upload.id]
  const files = await Promise.all(ids.map((id) => findFile(ctx.tx, workspaceId, id)))
  return files.every((file) => file !== undefined)
}
