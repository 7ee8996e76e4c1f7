import { dayMs, hourMs } from '../../kernel/clock.ts'
import type { WorkspaceReadContext, WriteContext } from '../../kernel/implement.ts'
import { isId } from '../../kernel/ids.ts'
import { mediaTypeOf } from './media-type.ts'
import type { FileStorage } from './storage.ts'
import { findFile, insertFile, lockFile, updateFile, type FileRow } from './store.ts'

/** An upload that was not taken over is discarded after a day; in its last hour it is too late to take it over. */
const keptMs = dayMs
const lateMs = hourMs

/** The time for which an upload may be taken over. */
export const uploadMs = keptMs - lateMs

type NewUpload = Pick<FileRow, 'id' | 'subject_id' | 'name' | 'upload_key'>

/** Remembers an upload that was asked for. */
export const beginUpload = (ctx: WriteContext, upload: NewUpload): Promise<void> =>
  insertFile(ctx.tx, {
    ...upload,
    workspace_id: ctx.workspace.workspaceId,
    size_bytes: null,
    mime_type: null,
    created_at: ctx.now,
    discard_at: ctx.clockNow + keptMs,
  })

/** State of an upload, as its storage reports it. */
export type Arrival = { readonly bytes: number; readonly mimeType: string } | 'missing' | 'too large' | 'unknown'

/** Takes over the bytes of an upload for what it was asked for. To be called before the transaction. */
export async function takeOver(
  ctx: WorkspaceReadContext,
  storage: FileStorage,
  { id, subjectId, name }: { readonly id: string; readonly subjectId: string; readonly name?: string },
): Promise<Arrival> {
  const { workspaceId } = ctx.workspace
  const row = isId(id) ? await findFile(ctx.tx, workspaceId, id) : undefined
  if (row === undefined || row.subject_id !== subjectId) return 'unknown'
  const kept = await storage.keep({ workspaceId, id })
  if (typeof kept === 'string') return kept
  return { bytes: kept.bytes, mimeType: await mediaTypeOf(kept.head, name ?? row.name) }
}

/** Marks an upload as taken over; undefined where there is none any more, or one of another key. */
export async function finishUpload(
  ctx: WriteContext,
  { id, name, key }: { readonly id: string; readonly name?: string; readonly key: string | undefined },
  arrival: Arrival,
): Promise<FileRow | undefined> {
  const row = isId(id) ? await lockFile(ctx.tx, ctx.workspace.workspaceId, id) : undefined
  if (row === undefined || typeof arrival === 'string' || (key !== undefined && row.upload_key !== key))
    return undefined
  if (row.discard_at === null) return row
  if (row.discard_at - lateMs <= ctx.clockNow) return undefined
  const taken = {
    ...row,
    name: name ?? row.name,
    size_bytes: arrival.bytes,
    mime_type: arrival.mimeType,
    discard_at: null,
  }
  await updateFile(ctx.tx, taken)
  return taken
}

type Context = WorkspaceReadContext<'payload_too_large'>

/** The failure of a file that is larger than the storage takes. */
export const tooLarge = (ctx: Context, bytesMax: number) =>
  ctx.fail('payload_too_large', {
    detail: `A file can have at most ${bytesMax} bytes.`,
    meta: { limit_bytes: bytesMax },
  })

/** The failure of an upload that has not arrived, or is too large; undefined for any other. `pointer` names its id. */
export function arrivalFailure(ctx: Context, arrival: Arrival, bytesMax: number, pointer: string) {
  if (arrival === 'too large') return tooLarge(ctx, bytesMax)
  if (arrival !== 'missing') return undefined
  const detail = 'Nothing has been uploaded yet: send the bytes to the signed URL first.'
  return ctx.fail('invalid_body', { detail, source: { pointer } })
}
