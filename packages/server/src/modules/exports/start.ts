import type { ExportBody, ExportFormat } from '@kontor/contract'
import { enqueueNew } from '../../engine/store.ts'
import { actorId } from '../../kernel/actor.ts'
import type { WriteContext } from '../../kernel/implement.ts'
import { isNarrowed } from '../../kernel/authorise.ts'
import { insertTask } from '../async-tasks/index.ts'
import { beginUpload } from '../files/index.ts'
import { ownerOf } from '../identity/acting/index.ts'
import { exportJobType } from './job-type.ts'
import { exportRows, type ExportRow } from './store.ts'

/** Starts an export of the caller. */
export async function startExport(ctx: WriteContext, body: ExportBody): Promise<ExportRow> {
  if (body.kind === 'workspace') requireAll(ctx)
  const { workspaceId } = ctx.workspace
  const id = ctx.newId()
  const row: ExportRow = {
    id,
    kind: body.kind,
    options: body,
    actor: ownerOf(ctx.actor, ctx.workspace.role),
    state: 'queued',
    file_name: fileName(body, ctx.workspace.slug, ctx.clockNow),
    rows_done: 0,
    size_bytes: null,
    error: null,
    created_at: ctx.now,
    created_by: actorId(ctx.actor),
    started_at: null,
    ended_at: null,
  }
  await exportRows.insert(ctx.tx, workspaceId, row)
  // Its bytes are discarded with it, be it one that has failed.
  await beginUpload(ctx, { id, subject_id: id, name: row.file_name, upload_key: `exports/${id}` })
  await insertTask(ctx.tx, workspaceId, {
    id,
    user_id: row.created_by,
    type: 'export',
    metadata: { entity: body.object ?? 'workspace' },
    now: ctx.clockNow,
  })
  const job = { workspaceId, kind: exportJobType, payload: { export_id: id }, now: ctx.clockNow, key: id }
  await enqueueNew(ctx.tx, [job])
  return row
}

/** The format of a file, as its name shows it. */
export const extensionOf = ({ kind, format = 'csv' }: ExportBody): ExportFormat | 'zip' =>
  kind === 'workspace' ? 'zip' : format

const fileName = (body: ExportBody, slug: string, now: number): string => {
  const subject = body.kind === 'workspace' ? slug : (body.object ?? 'sql')
  return `${subject}-${new Date(now).toISOString().slice(0, 10)}.${extensionOf(body)}`
}

/** 403 unless the caller may read everything: an admin, by a credential without limits. */
function requireAll(ctx: WriteContext): void {
  if (ctx.workspace.role !== 'admin')
    throw ctx.fail('forbidden', {
      detail: 'Only admins may export a workspace: a bundle contains private records too.',
    })
  if (isNarrowed(ctx.actor))
    throw ctx.fail('forbidden', {
      detail: 'A bundle contains everything: use a credential without scopes.',
    })
}
