import type { TranscriptSegment } from '@kontor/contract'
import type { RowOf } from '../../db/columns.ts'
import { deleteSome } from '../../db/delete-some.ts'
import { columnsOf, rowsOf, readColumn } from '../../db/rows.ts'
import { shortList, type ListReader } from '../../db/short-list.ts'
import { param, statement } from '../../db/statement.ts'
import type { ReadTx, Tx } from '../../db/tx.ts'
import { discardFiles } from '../files/index.ts'
import { segmentsOf } from './transcript.ts'
import { attachedRows, type Dependent } from '../records/index.ts'

/** A recording without what was said, which may be megabytes. */
export type RecordingRow = Omit<RowOf<'meeting_recording'>, 'transcript' | 'state'> & {
  /** Of itself, whatever is uploaded for it: `awaited` is one that has neither words nor media yet. */
  readonly state: 'awaited' | 'done' | NotetakerState
}

/** The state of a recording that the notetaker is to make. */
type NotetakerState = 'requested' | 'scheduled' | 'failed' | 'cancelled'

type Transcript = readonly TranscriptSegment[]

export type WholeRecording = RecordingRow & { readonly transcript: Transcript }

type OfMeeting = { readonly workspace_id: string; readonly meeting_id: string }
const columns = columnsOf('meeting_recording', 'transcript')

type One = OfMeeting & { readonly id: string }

const recordings = rowsOf<RecordingRow>('meeting_recording', columns)

export const findRecording = recordings.findByKey('workspace_id', 'meeting_id', 'id')

const whole = rowsOf<WholeRecording>('meeting_recording', [...columns, 'transcript'])

/** A recording of a meeting, locked until the transaction ends. */
export const lockRecording = whole.lockByKey('change', 'workspace_id', 'meeting_id', 'id')

const spoken = rowsOf<Pick<WholeRecording, 'transcript'>, One>('meeting_recording', ['transcript'])

const findSpoken = spoken.findByKey('workspace_id', 'meeting_id', 'id')

/** The transcript of a recording, for anyone who has a signed URL of it. */
export const findWhatWasSaid = spoken.find('workspace_id', 'id')

export const findTranscript = async (tx: ReadTx, of: One): Promise<Transcript | undefined> =>
  (await findSpoken(tx, of))?.transcript

/** The list of the recordings of a meeting. */
export const recordingsIn = (of: OfMeeting): ListReader<RecordingRow> =>
  shortList({ from: ({ knex }) => knex('meeting_recording').where(of), columns, id: 'id' })

export const insertRecording = (tx: Tx, row: RecordingRow, transcript: Transcript): Promise<void> =>
  tx.insert('meeting_recording', [{ ...row, transcript }])

/** Replaces what was said in a recording. */
export const updateTranscript = (
  tx: Tx,
  { workspace_id, id, state, detail, ends_after_ms, updated_at }: RecordingRow,
  transcript: Transcript,
): Promise<void> =>
  tx.updateByKey(
    'meeting_recording',
    ['workspace_id', 'id'],
    [{ workspace_id, id, state, detail, ends_after_ms, updated_at, transcript }],
  )

export const updateMedia = (
  tx: Tx,
  { workspace_id, id, state, detail, upload_id, media_id, updated_at }: RecordingRow,
): Promise<void> =>
  tx.updateByKey(
    'meeting_recording',
    ['workspace_id', 'id'],
    [{ workspace_id, id, state, detail, upload_id, media_id, updated_at }],
  )

const byNotetaker = statement<OfMeeting, RecordingRow>(({ knex, dialect }) =>
  dialect.locked(
    knex('meeting_recording')
      .select(...columns)
      .where({ workspace_id: param('workspace_id'), meeting_id: param('meeting_id'), source: 'notetaker' })
      .orderBy('id', 'desc')
      .limit(1),
    'change',
  ),
)

/** The last recording of a meeting that the notetaker was asked for, locked until the transaction ends. */
export const lockLastRequested = (tx: Tx, of: OfMeeting): Promise<RecordingRow | undefined> => tx.first(byNotetaker, of)

/** Stores what has become of a recording that the notetaker was told of. */
export const updateOutcome = (
  tx: Tx,
  { workspace_id, id, state, detail, told, updated_at }: RecordingRow,
): Promise<void> =>
  tx.updateByKey('meeting_recording', ['workspace_id', 'id'], [{ workspace_id, id, state, detail, told, updated_at }])

/** Replaces what is searched of a recording. */
export async function replaceSegments(
  tx: Tx,
  { workspace_id, id: recording_id, meeting_id }: RecordingRow,
  transcript: Transcript,
): Promise<void> {
  await tx.deleteByKey('transcript_segment', [{ workspace_id, recording_id }])
  const rows = (await segmentsOf(transcript)).map((segment) => ({ workspace_id, recording_id, meeting_id, ...segment }))
  for (let at = 0; at < rows.length; at += segmentsAtOnce)
    await tx.insert('transcript_segment', rows.slice(at, at + segmentsAtOnce))
}

const segmentsAtOnce = 1000

const attached = attachedRows({ table: 'meeting_recording', column: 'meeting_id', path: 'recordings' })

export const recordingsOfMeetings: Dependent = {
  /** Keeps recordings with contents; nobody loses one that was only requested. */
  async keep(tx, workspaceId, recordIds) {
    return readColumn(tx, ({ knex, dialect }) =>
      knex('meeting_recording')
        .distinct('meeting_id')
        .where('workspace_id', workspaceId)
        .whereIn('state', ['done', 'awaited'])
        .where(dialect.oneOf('meeting_id', recordIds)),
    )
  },

  async move(ctx, fromIds, toId) {
    await ctx.tx.change(({ knex, dialect }) =>
      knex('transcript_segment')
        .update({ meeting_id: toId })
        .where('workspace_id', ctx.workspace.workspaceId)
        .where(dialect.oneOf('meeting_id', fromIds)),
    )
    return (await attached.move?.(ctx, fromIds, toId)) ?? []
  },

  /** Uploads that are still to come are discarded by themselves. */
  async purge(tx, workspaceId, recordIds, rowsMax) {
    const segments = { table: 'transcript_segment', key: ['recording_id', 'place'], column: 'meeting_id' } as const
    const removed = await deleteSome(tx, workspaceId, { ...segments, values: recordIds, rowsMax })
    if (removed >= rowsMax) return removed
    await discardFiles(
      tx,
      workspaceId,
      await readColumn(tx, ({ knex, dialect }) =>
        knex('meeting_recording')
          .select('media_id')
          .where('workspace_id', workspaceId)
          .where(dialect.oneOf('meeting_id', recordIds))
          .whereNotNull('media_id'),
      ),
    )
    return removed + (await attached.purge(tx, workspaceId, recordIds, rowsMax - removed))
  },
}
