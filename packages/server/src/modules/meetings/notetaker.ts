import { createHash } from 'node:crypto'
import type { ReadTx, Tx } from '../../db/tx.ts'
import { derivedId } from '../../kernel/ids.ts'
import { compileObject, findRecord, type ObjectModel, type RecordRow } from '../objects/index.ts'
import type { SchemaSets } from '../schemas/index.ts'
import { findSlug } from '../workspaces/index.ts'
import { objectName } from './recordings.ts'
import { insertRecording, lockLastRequested, type RecordingRow } from './store.ts'

/** A request to the notetaker; `id` is the same when it is repeated. */
type NotetakerOrder = {
  readonly id: string
  readonly type: 'recording.start' | 'recording.stop'
  readonly data: {
    readonly workspace: string
    readonly meeting_id: string
    readonly recording_id: string
    /** Of a meeting that is to be recorded. */
    readonly meeting?: Readonly<Record<string, unknown>>
  }
}

/** Returns whether the notetaker has taken an order; if not, why, and whether to ask again. */
export type NotetakerAnswer =
  | { readonly isTaken: true }
  | { readonly isTaken: false; readonly detail: string; readonly isLasting: boolean; readonly waitMs: number }

/** The service that records meetings. It uploads recordings by the operations on transcripts and media. */
export type Notetaker = {
  readonly tell: (order: NotetakerOrder, signal: AbortSignal) => Promise<NotetakerAnswer>
}

const toldFields = ['title', 'start', 'end', 'participants', 'event_id'] as const

/** The request for a recording, and the digest of its meeting by which it is not repeated. */
export type NotetakerPlan = { readonly row: RecordingRow; readonly order: NotetakerOrder; readonly told: string | null }

type RecordingRequest = {
  readonly workspaceId: string
  readonly meetingId: string
  readonly createdBy: string
  readonly now: number
  readonly newId: () => string
}

/** Compares what the notetaker knows of a meeting with what is wanted now; undefined where there is nothing to tell. */
export async function planOf(
  tx: Tx,
  schemaSets: SchemaSets,
  wanted: RecordingRequest,
): Promise<NotetakerPlan | undefined> {
  const { workspaceId, meetingId } = wanted
  const slug = await findSlug(tx, workspaceId)
  if (slug === undefined) return undefined
  const last = await lockLastRequested(tx, { workspace_id: workspaceId, meeting_id: meetingId })
  const meeting = await findRecorded(tx, schemaSets, workspaceId, meetingId)
  if (meeting === undefined) {
    const isOver = last === undefined || (last.told === null && last.state !== 'requested')
    return isOver ? undefined : planFor(last, null, { workspace: slug })
  }
  const told = digestOf(meeting)
  if (last?.told === told) return undefined
  const isOpen = last?.state === 'requested' || last?.state === 'scheduled'
  const row = isOpen ? last : newRecording(wanted)
  if (!isOpen) await insertRecording(tx, row, [])
  return planFor(row, told, { workspace: slug, meeting })
}

type About = { readonly workspace: string; readonly meeting?: Readonly<Record<string, unknown>> }

function planFor(row: RecordingRow, told: string | null, { workspace, meeting }: About): NotetakerPlan {
  const type = meeting === undefined ? 'recording.stop' : 'recording.start'
  const id = derivedId('notetaker', row.workspace_id, row.id, type, told ?? row.told ?? '')
  const data = { workspace, meeting_id: row.meeting_id, recording_id: row.id }
  return {
    row,
    told,
    order: { id, type, data: meeting === undefined ? data : { ...data, meeting: fieldsOf(meeting) } },
  }
}

const fieldsOf = (meeting: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(toldFields.map((name) => [name, meeting[name] ?? null]))

/** The bot comes at another time if the meeting does; its title is no reason to tell it again. */
const digestOf = ({ start, end }: Readonly<Record<string, unknown>>): string =>
  createHash('sha256')
    .update(JSON.stringify([start, end]))
    .digest('base64url')

const newRecording = ({ workspaceId, meetingId, createdBy, now, newId }: RecordingRequest): RecordingRow => ({
  workspace_id: workspaceId,
  id: newId(),
  meeting_id: meetingId,
  source: 'notetaker',
  state: 'requested',
  detail: null,
  told: null,
  ends_after_ms: 0,
  upload_id: null,
  media_id: null,
  created_at: now,
  created_by: createdBy,
  updated_at: now,
})

/** The values of a meeting that is to be recorded, by their fields. */
async function findRecorded(tx: ReadTx, schemaSets: SchemaSets, workspaceId: string, id: string) {
  const schema = (await schemaSets.readCurrent(tx, workspaceId)).schemas.get(objectName)
  const object = schema && compileObject(schema)
  const row = object && (await findRecord(tx, workspaceId, object.key, id))
  const meeting = object && row && valuesOf(object, row)
  return meeting?.['recording_enabled'] === true ? meeting : undefined
}

const valuesOf = ({ fields }: ObjectModel, { data }: RecordRow): Readonly<Record<string, unknown>> =>
  Object.fromEntries([...toldFields, 'recording_enabled'].map((name) => [name, data[fields.get(name)?.key ?? name]]))
