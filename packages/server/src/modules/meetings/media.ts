import type { meetings } from '@kontor/contract'
import { inTwoParts, type Handlers, type WorkspaceReadContext, type WriteContext } from '../../kernel/implement.ts'
import { isId, newRecordId } from '../../kernel/ids.ts'
import {
  beginUpload,
  discardFiles,
  findFile,
  finishUpload,
  takeOver,
  tooLarge,
  type Arrival,
  type FileLinks,
  type FileStorage,
} from '../files/index.ts'
import { requireVisible } from '../records/index.ts'
import { present, startOf } from './present.ts'
import { lockMeeting, missingRecording, objectName, saveRecording } from './recordings.ts'
import { findRecording, findWhatWasSaid, lockRecording, updateMedia, type RecordingRow } from './store.ts'
import { readTranscript } from './transcript.ts'

export type MediaServices = { readonly storage: FileStorage; readonly links: FileLinks }

type MediaHandlers = Pick<Handlers<typeof meetings>, 'uploadMedia' | 'addMedia' | 'getArtifacts'>

/** Sound and film of recordings, which go to and come from signed URLs. */
export const mediaHandlers = ({ storage, links }: MediaServices): MediaHandlers => ({
  uploadMedia: inTwoParts(async (read, { workspace, meetingId, body }) => {
    // It begins with its time, and tells by it until when it is waited for.
    const fileId = newRecordId(read.now)
    const file = { workspaceId: read.workspace.workspaceId, id: fileId }
    const { url, fields } = await storage.uploadForm(file, body.contentType)
    return async (ctx) => {
      const { row: meeting } = await lockMeeting(ctx, meetingId)
      const transcript = body.transcript && (await readTranscript(body.transcript))
      const { row } = await saveRecording(ctx, { meetingId: meeting.id, recordingId: body.recordingId, transcript })
      const key = `recordings/${workspace}/${meeting.id}/${row.id}/${fileId}`
      await beginUpload(ctx, { id: fileId, subject_id: row.id, name: nameOf(body.contentType), upload_key: key })
      await updateMedia(ctx.tx, { ...row, upload_id: fileId, updated_at: ctx.now })
      // As forms of S3 do, it names what it uploads.
      const upload = { url, fields: { key, ...fields } }
      return { body: { data: { recordingId: row.id, meetingId: meeting.id, key, upload } } }
    }
  }),

  addMedia: inTwoParts(async (read: WorkspaceReadContext<'payload_too_large'>, { meetingId, recordingId }) => {
    const of = { workspace_id: read.workspace.workspaceId, meeting_id: meetingId, id: recordingId }
    const known = isId(meetingId) && isId(recordingId) ? await findRecording(read.tx, of) : undefined
    const arrival =
      known === undefined || known.upload_id === null
        ? 'unknown'
        : await takeOver(read, storage, { id: known.upload_id, subjectId: known.id })
    return async (ctx) => {
      const { object, row: meeting } = await lockMeeting(ctx, meetingId)
      const arrived = { uploadId: known?.upload_id ?? null, arrival }
      const row = await add(ctx, { ...of, meeting_id: meeting.id }, arrived, storage.bytesMax)
      return { body: { data: present(row, startOf(object, meeting), ctx.clockNow) } }
    }
  }),

  async getArtifacts(ctx, { meetingId, recordingId }) {
    const { row: meeting } = await requireVisible(ctx, objectName, meetingId)
    const { workspaceId } = ctx.workspace
    const of = { workspace_id: workspaceId, meeting_id: meeting.id, id: recordingId }
    const row = isId(recordingId) ? await findRecording(ctx.tx, of) : undefined
    if (row === undefined) throw missingRecording(ctx)
    const said = await findWhatWasSaid(ctx.tx, workspaceId, row.id)
    return {
      body: {
        data: {
          videoUrl: await mediaUrl(ctx, storage, row),
          transcriptionUrl:
            said === undefined || said.transcript.length === 0
              ? null
              : links.sign({ act: 'transcript', workspaceId, id: row.id }),
        },
      },
    }
  },
})

/** The file has no other name: clients send sound and film without one. */
const nameOf = (contentType: string): string => `recording.${/\/(?:x-)?(\w+)/.exec(contentType)?.[1] ?? 'bin'}`

async function mediaUrl(ctx: WorkspaceReadContext, storage: FileStorage, { media_id }: RecordingRow) {
  const { workspaceId } = ctx.workspace
  const file = media_id === null ? undefined : await findFile(ctx.tx, workspaceId, media_id)
  return file === undefined
    ? null
    : storage.downloadUrl({ workspaceId, id: file.id }, { name: file.name, mimeType: file.mime_type })
}

/** Adds what has arrived to its recording, in place of what was there. */
async function add(
  ctx: WriteContext<'payload_too_large'>,
  of: Parameters<typeof lockRecording>[1],
  arrived: { readonly uploadId: string | null; readonly arrival: Arrival },
  bytesMax: number,
): Promise<RecordingRow> {
  const row = isId(of.id) ? await lockRecording(ctx.tx, of) : undefined
  if (row === undefined) throw missingRecording(ctx)
  // Another upload may have been asked for meanwhile: what has arrived is not of that one.
  const arrival = row.upload_id === arrived.uploadId ? arrived.arrival : 'unknown'
  if (row.upload_id === null && row.media_id !== null) return row
  if (arrival === 'too large') throw tooLarge(ctx, bytesMax)
  const file =
    row.upload_id === null ? undefined : await finishUpload(ctx, { id: row.upload_id, key: undefined }, arrival)
  if (file === undefined)
    throw ctx.fail('invalid_body', { detail: 'Nothing has been uploaded for this recording yet.' })
  if (row.media_id !== null) await discardFiles(ctx.tx, row.workspace_id, [row.media_id])
  const added = {
    ...row,
    state: 'done' as const,
    detail: null,
    upload_id: null,
    media_id: file.id,
    updated_at: ctx.now,
  }
  await updateMedia(ctx.tx, added)
  await ctx.emit([
    { type: 'meeting.recorded', object: objectName, recordId: row.meeting_id, payload: { recording_id: row.id } },
  ])
  return added
}
