import { isDeepStrictEqual } from 'node:util'
import type { Change, TranscriptSegment } from '@kontor/contract'
import { actorId } from '../../kernel/actor.ts'
import type { WorkspaceReadContext, WriteContext } from '../../kernel/implement.ts'
import { isId } from '../../kernel/ids.ts'
import { defined } from '../../lib/guards.ts'
import { findTarget, lockTargets } from '../records/index.ts'
import {
  insertRecording,
  lockRecording,
  replaceSegments,
  updateTranscript,
  type RecordingRow,
  type WholeRecording,
} from './store.ts'
import { endOf } from './transcript.ts'

export const objectName = 'meeting'

export const missingRecording = (ctx: WorkspaceReadContext) =>
  ctx.fail('not_found', { detail: 'The meeting has no such recording.' })

/** A meeting that the caller may change, locked until the transaction ends. */
export async function lockMeeting(ctx: WriteContext, id: string) {
  const target = await findTarget(ctx, objectName)
  return { object: target.object, row: defined((await lockTargets(ctx, target, [id]))[0]) }
}

type RecordingInput = {
  readonly meetingId: string
  /** A recording that is there. */
  readonly recordingId: string | undefined
  /** Without one, what was said stays as it is. */
  readonly transcript: readonly TranscriptSegment[] | undefined
}

/** Stores what was said in a recording, one of its own unless one is named, and tells of it. */
export async function saveRecording(
  ctx: WriteContext,
  { meetingId, recordingId, transcript: said }: RecordingInput,
): Promise<{ readonly row: RecordingRow; readonly diff: Change[] }> {
  const before = recordingId === undefined ? undefined : await requireRecording(ctx, meetingId, recordingId)
  const transcript = said ?? before?.transcript ?? []
  if (before !== undefined && isDeepStrictEqual(before.transcript, transcript)) return { row: before, diff: [] }
  const row: RecordingRow = {
    workspace_id: ctx.workspace.workspaceId,
    id: before?.id ?? ctx.newId(),
    meeting_id: meetingId,
    source: before?.source ?? 'manual_upload',
    state: said === undefined ? (before?.state ?? 'awaited') : 'done',
    detail: said === undefined ? (before?.detail ?? null) : null,
    told: before?.told ?? null,
    ends_after_ms: endOf(transcript),
    upload_id: before?.upload_id ?? null,
    media_id: before?.media_id ?? null,
    created_at: before?.created_at ?? ctx.now,
    created_by: before?.created_by ?? actorId(ctx.actor),
    updated_at: ctx.now,
  }
  await (before === undefined ? insertRecording : updateTranscript)(ctx.tx, row, transcript)
  await replaceSegments(ctx.tx, row, transcript)
  if (said !== undefined)
    await ctx.emit([
      { type: 'meeting.transcribed', object: objectName, recordId: meetingId, payload: { recording_id: row.id } },
    ])
  return { row, diff: [changeOf(row, before, transcript)] }
}

const changeOf = (
  { id }: RecordingRow,
  before: WholeRecording | undefined,
  transcript: readonly TranscriptSegment[],
): Change =>
  before === undefined
    ? { op: 'add', path: ['recordings'], val: [id], oldVal: null }
    : { op: 'update', path: ['recordings', id, 'transcript'], val: transcript, oldVal: before.transcript }

async function requireRecording(ctx: WriteContext, meetingId: string, id: string): Promise<WholeRecording> {
  const of = { workspace_id: ctx.workspace.workspaceId, meeting_id: meetingId, id }
  const found = isId(id) ? await lockRecording(ctx.tx, of) : undefined
  if (found === undefined)
    throw ctx.fail('invalid_body', {
      detail: 'The meeting has no such recording.',
      source: { pointer: '/recordingId' },
    })
  return found
}
